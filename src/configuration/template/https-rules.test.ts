import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { echoHost, type Headers, RenderedProxy, receivedBy } from '../../../testkit/configuration/rendered-proxy.ts';
import { sampleHttps, sampleInput } from '../../../testkit/configuration/template-samples.ts';
import { type FrontKind, TlsFront } from '../../../testkit/configuration/tls-front.ts';
import { describeOnProductProxies } from '../../../testkit/proxies.ts';
import { chainMode, judgeUpstreamOffset, oneStepMode, singleHeaderModes } from '../../domain/upstream-modes.ts';
import { Template } from './template.ts';

const blocked = '127.0.0.66';
const maps = { blockedMap: `${blocked} 1\n` };
const hstsIn = (reply: string) => /^strict-transport-security: (.*)\r$/im.exec(reply)?.[1] ?? null;
const statusOf = (reply: string) => Number(/^HTTP\/1\.[01] (\d{3})/.exec(reply)?.[1]);
const locationIn = (reply: string) => /^location: (.*)\r$/im.exec(reply)?.[1] ?? null;

interface Visit {
  readonly statuses: readonly number[];
  readonly body: string;
  readonly hsts: string | null;
}

/** Like a browser: follows redirects, and knows no other host than 127.0.0.1. */
async function visit(scheme: 'http' | 'https', port: number, host = echoHost): Promise<Visit> {
  const statuses: number[] = [];
  let url = new URL(`${scheme}://${host}:${port}/a?b=c`);
  while (statuses.length < 5) {
    const answer = await fetchOnce(url);
    statuses.push(answer.status);
    if (answer.location === undefined) return { statuses, body: answer.body, hsts: answer.hsts };
    url = new URL(answer.location);
  }
  throw new Error(`a redirect loop: ${statuses.join(', ')} at ${url.href}`);
}

function fetchOnce(
  url: URL,
): Promise<{ status: number; body: string; location: string | undefined; hsts: string | null }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof fetchOnce>>>();
  const [request, defaultPort] = url.protocol === 'https:' ? [httpsRequest, 443] : [httpRequest, 80];
  const options = {
    host: '127.0.0.1',
    port: url.port === '' ? defaultPort : url.port,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host },
    servername: url.hostname,
    rejectUnauthorized: false,
    agent: false as const,
  };
  request(options, (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (part: string) => (body += part));
    response.once('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        body,
        location: response.headers.location,
        hsts: response.headers['strict-transport-security'] ?? null,
      }),
    );
  })
    .once('error', reject)
    .end();
  return promise;
}

/** The common name of the certificate that is shown; the error otherwise. */
function handshake(port: number, options: { servername?: string; maxVersion?: 'TLSv1.1'; host?: string }) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { host = '127.0.0.1', ...others } = options;
  const ciphers =
    others.maxVersion === undefined ? {} : { ciphers: 'DEFAULT@SECLEVEL=0', minVersion: 'TLSv1' as const };
  const socket: TLSSocket = connect(
    { port, host, rejectUnauthorized: false, ALPNProtocols: ['h2'], ...ciphers, ...others },
    () => {
      resolve(`${socket.getPeerCertificate().subject.CN} ${socket.alpnProtocol}`);
      socket.destroy();
    },
  );
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  return promise;
}

describe('the built-in template with TLS', () => {
  const https = { ...sampleHttps, bind: ['any:443', '127.0.0.1:8443'] };
  const render = async (more: object = {}) =>
    (await Template.builtIn().render({ ...sampleInput, https: { ...https, ...more } })).text;
  const bindOf = (text: string) => /^ +(bind .* ssl .*)$/m.exec(text)?.[1];

  test('renders as the golden file has it', async () => {
    const input = { ...sampleInput, https, hasUpstreams: true, connectionsPerSource: 100, accessLog: 'auto' };
    const { text, warnings } = await Template.builtIn().render(input);
    await expect(text).toMatchFileSnapshot('golden/built-in-https.cfg');
    expect(warnings).toEqual([]);
  });

  test('binds all addresses in one line, and IPv6 for itself where IPv4 is bound too', async () => {
    expect(bindOf(await render())).toBe(
      'bind :443,[::]:443,127.0.0.1:8443 v6only ssl crt /etc/proxy/tls/default.pem crt-list /etc/proxy/tls/certificates.list alpn h2,http/1.1',
    );
    expect(bindOf(await render({ bind: ['[::]:443', '[::1]:444', ':8443'] }))).toMatch(
      /^bind \[::\]:443,\[::1\]:444,:8443 ssl /,
    );
    expect(bindOf(await render({ strictSni: true }))).toContain('certificates.list strict-sni alpn');
  });

  test('names none of its files without an address for TLS', async () => {
    const { text } = await Template.builtIn().render({ ...sampleInput, hasUpstreams: true });
    expect(text).not.toMatch(/ssl-default|certificates\.list|default\.pem|https_sites\.map|Strict-Transport/);
    expect(text).toContain('set-var(txn.https_seen)');
  });

  test('has its rules in their order', async () => {
    const { text } = await Template.builtIn().render({ ...sampleInput, https, hasUpstreams: true });
    const rules = [
      'http-request deny',
      "http-request return status 400 content-type text/plain string 'no Host header'",
      'http-request set-var(txn.site)',
      'http-request set-var(txn.https_seen)',
      'http-request redirect code 301',
      'http-request redirect code 308',
      'http-after-response set-header Strict-Transport-Security',
      'http-request set-header X-Forwarded-For',
      'http-request set-header X-Forwarded-Proto',
      'use_backend',
    ];
    const places = rules.map((rule) => text.indexOf(`\n    ${rule}`));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });
});

describeOnProductProxies('the built-in template with TLS', ({ bin }) => {
  let proxy: RenderedProxy;
  const www = `www.${echoHost}`;
  const entries = [
    `${echoHost} redirect:300:sub`,
    `${www} redirect`,
    'bare.example.com redirect',
    'hsts.example.com off:600:only',
    'gone.example.com off:0:only',
    'preload.example.com redirect:31536000:preload',
    'off.example.com off',
    '*.wild.example.com redirect:60:only',
    'off.wild.example.com off',
  ];
  beforeAll(async () => {
    proxy = await RenderedProxy.start({
      bin,
      https: {},
      site: { names: [www, `*.${echoHost}`], canonical: echoHost },
      maps: { ...maps, httpsSites: `${entries.join('\n')}\n` },
    });
  });
  afterAll(() => proxy.stop());

  const http = (path: string, { method = 'GET', host = echoHost, version = '1.1', from = '127.0.0.1' } = {}) =>
    proxy.raw(
      `${method} ${path} HTTP/${version}\r\n${host === '' ? '' : `Host: ${host}\r\n`}Connection: close\r\nContent-Length: 0\r\n\r\n`,
      { from },
    );
  const to = (host = echoHost, path = '/a?b=c') => `https://${host}:${proxy.tlsPort}${path}`;

  test.each([
    ['GET', 301],
    ['HEAD', 301],
    ['POST', 308],
    ['PUT', 308],
    ['OPTIONS', 308],
  ])('redirects %s over plain HTTP with %i', async (method, status) => {
    const reply = await http('/a?b=c', { method });
    expect([statusOf(reply), locationIn(reply), hstsIn(reply)]).toEqual([status, to(), null]);
  });

  test('redirects to the name alone, whatever port, dot and case the Host has', async () => {
    for (const host of [`${echoHost}:8080`, `${echoHost}:`, `${echoHost}.`, `${echoHost.toUpperCase()}.:80`]) {
      expect(locationIn(await http('/a?b=c', { host }))).toBe(to());
    }
    expect(locationIn(await http(`http://${echoHost}:8080/a?b=c`, { host: `${echoHost}:8080` }))).toBe(to());
    expect(locationIn(await http('//evil.example.com/'))).toBe(to(echoHost, '//evil.example.com/'));
    expect(locationIn(await http('/%0d%0aX-A:%20b'))).toBe(to(echoHost, '/%0d%0aX-A:%20b'));
  });

  test('is followed by a client without a loop, and the server gets the scheme https', async () => {
    const seen = await visit('http', proxy.port);
    expect(seen.statuses).toEqual([301, 200]);
    expect(JSON.parse(seen.body)).toContainEqual(['x-forwarded-proto', 'https']);
    expect(seen.hsts).toBe('max-age=300; includeSubDomains');
  });

  test('and then to the canonical name by https, with the port of the request', async () => {
    expect((await visit('http', proxy.port, www)).statuses).toEqual([301, 301, 200]);
    expect((await visit('https', proxy.tlsPort, www)).statuses).toEqual([301, 200]);
    // No entry is for it: plain HTTP stays plain, and a name below a wildcard is served under its own name.
    expect((await visit('http', proxy.port, `a.${echoHost}`)).statuses).toEqual([200]);
    expect(locationIn(await http('/x', { host: `${www.toUpperCase()}.:8080` }))).toBe(to(www, '/x'));
  });

  test('finds the entry of a wildcard for one label, unless the name has its own', async () => {
    expect(locationIn(await http('/x', { host: 'a.wild.example.com' }))).toBe(to('a.wild.example.com', '/x'));
    for (const host of ['off.wild.example.com', 'a.b.wild.example.com', 'wild.example.com', 'a/b.wild.example.com'])
      expect([host, locationIn(await http('/x', { host }))]).toEqual([host, null]);
  });

  test('does not redirect what has no path, or no entry', async () => {
    expect(locationIn(await http('*', { method: 'OPTIONS' }))).toBeNull();
    for (const host of [
      'other.example.com',
      'localhost',
      '127.0.0.1',
      '[::1]:8080',
      `${echoHost}..`,
      'off.example.com',
      'hsts.example.com',
    ])
      expect([host, locationIn(await http('/', { host }))]).toEqual([host, null]);
    expect(statusOf(await http('/', { host: '', version: '1.0' }))).toBe(200);
  });

  test.each([
    [echoHost, 'max-age=300; includeSubDomains'],
    ['bare.example.com', null],
    ['hsts.example.com', 'max-age=600'],
    ['gone.example.com', 'max-age=0'],
    ['preload.example.com', 'max-age=31536000; includeSubDomains; preload'],
    ['off.example.com', null],
    ['other.example.com', null],
  ])('sends %s the HSTS %s, over https alone, also with an error', async (host, hsts) => {
    expect(hstsIn(await proxy.get('/', { host, tls: host }))).toBe(hsts);
    expect(hstsIn(await proxy.get('/', { host }))).toBeNull();
  });

  test('answers a blocked client with 403 before it redirects, and without a Host with 400', async () => {
    expect(statusOf(await http('/', { from: blocked }))).toBe(403);
    const overTls = await proxy.get('/', { host: echoHost, from: blocked, tls: echoHost });
    expect([statusOf(overTls), hstsIn(overTls)]).toEqual([403, null]);
    expect(statusOf(await http('/', { host: '' }))).toBe(400);
  });

  test('does not believe a client that claims https', async () => {
    const claims: Headers = [['X-Forwarded-Proto', 'https']];
    expect((await proxy.ask(claims)).status).toBe(301);
  });

  test('sends servers the scheme of each request', async () => {
    const sent = async (tls?: string) =>
      receivedBy(await proxy.ask([['host', echoHost]], tls === undefined ? {} : { tls }));
    expect(await sent(echoHost)).toContainEqual(['x-forwarded-proto', 'https']);
  });

  test('serves the certificate of the name, the default one to others, and HTTP/2, on every address', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      expect(await handshake(proxy.tlsPort, { servername: echoHost, host })).toBe(`${echoHost} h2`);
      expect(await handshake(proxy.tlsPort, { servername: 'other.example.com', host })).toBe('default.invalid h2');
      expect(await handshake(proxy.tlsPort, { host })).toBe('default.invalid h2');
    }
    expect(await handshake(proxy.tlsPort, { servername: echoHost, maxVersion: 'TLSv1.1' })).toMatch(
      /PROTOCOL|SSL|ALERT/,
    );
  });

  test('answers no private key on the stats socket, and no change of what it serves', async () => {
    const file = /^ *bind .* crt (\S+) crt-list/m.exec(proxy.text)?.[1] ?? '';
    const dump = await proxy.command(`dump ssl cert ${file}`);
    // HAProxy 3.2 and 3.4 refuse it by "Can't allocate memory!".
    expect(dump).toMatch(/Permission denied|Unknown command|Can't allocate memory/);
    expect(dump).not.toContain('PRIVATE KEY');
    expect(await proxy.command(`new ssl cert ${file}.more`)).toContain('Permission denied');
    expect(await proxy.command('show stat')).toContain('FRONTEND');
  });

  test('refuses names without a certificate if strict', async () => {
    const strict = await RenderedProxy.start({ bin, https: { strictSni: true } });
    try {
      expect(await handshake(strict.tlsPort, { servername: echoHost })).toBe(`${echoHost} h2`);
      expect(await handshake(strict.tlsPort, { servername: 'other.example.com' })).toMatch(/ALERT|UNRECOGNIZED|SSL/);
    } finally {
      await strict.stop();
    }
  });
});

describeOnProductProxies('behind an upstream with TLS, the built-in template', ({ bin }) => {
  const kinds: readonly (readonly [FrontKind, Readonly<Record<string, string>>])[] = [
    ['x-forwarded-proto', { upstreamsMap: '127.0.0.1 2\n' }],
    ['proxy-protocol', { upstreamsMap: '127.0.0.1 9\n', proxyProtocolMap: '127.0.0.1 1\n' }],
    ['passes-tls', { upstreamsMap: '127.0.0.1 9\n', proxyProtocolMap: '127.0.0.1 1\n' }],
  ];

  test.each(kinds)('that uses %s, redirects once and never loops', async (kind, networks) => {
    const front = await TlsFront.make();
    let proxy: RenderedProxy | null = null;
    try {
      const httpsSites = `${echoHost} redirect:300:only\n`;
      proxy = await RenderedProxy.start({
        bin,
        https: { publicPort: front.httpsPort },
        maps: { ...maps, ...networks, httpsSites },
      });
      await front.start(bin, kind, proxy);
      const [plain, secure] = [await visit('http', front.httpPort), await visit('https', front.httpsPort)];
      expect([plain.statuses, secure.statuses]).toEqual([[301, 200], [200]]);
      for (const { body, hsts } of [plain, secure]) {
        expect(JSON.parse(body)).toContainEqual(['x-forwarded-proto', 'https']);
        expect(hsts).toBe('max-age=300');
      }
    } finally {
      await proxy?.stop();
      await front.stop();
    }
  });

  describe('that sends X-Forwarded-Proto', () => {
    let proxy: RenderedProxy;
    const names = Object.entries(singleHeaderModes).map(([header, mode]): [string, number] => [header, mode]);
    const modes = [['x-forwarded-for', oneStepMode], ['x-forwarded-for', chainMode], ...names] as const;
    const balancer = '127.0.2.1';
    const addressOf = (mode: number) => `127.0.1.${mode}`;
    beforeAll(async () => {
      const networks = modes.flatMap(([, mode]) => [mode, mode + judgeUpstreamOffset]);
      const upstreamsMap = networks.map((mode) => `${addressOf(mode)} ${mode}\n`).join('');
      proxy = await RenderedProxy.start({
        bin,
        https: {},
        maps: { upstreamsMap, proxyProtocolMap: `${balancer} 1\n`, httpsSites: `${echoHost} redirect\n` },
      });
    });
    afterAll(() => proxy.stop());

    const ask = async (headers: Headers, mode: number) => await proxy.ask(headers, { from: addressOf(mode) });

    test.each(modes)('and names its client in %s (mode %i) redirects plain HTTP alone', async (header, mode) => {
      for (const own of [mode, mode + judgeUpstreamOffset]) {
        // With a client and, like a health check, without one.
        for (const client of [[[header, '192.0.2.7']], []] satisfies Headers[]) {
          const secure = await ask([...client, ['X-Forwarded-Proto', 'https']], own);
          expect(secure.status).toBe(200);
          expect(receivedBy(secure)).toContainEqual(['x-forwarded-proto', 'https']);
          expect((await ask([...client, ['X-Forwarded-Proto', 'http']], own)).status).toBe(301);
        }
      }
    });

    test('and is one of several, as in a chain, has the last word', async () => {
      const chain: Headers[number] = ['X-Forwarded-For', `192.0.2.7, ${addressOf(oneStepMode)}`];
      expect((await ask([chain, ['X-Forwarded-Proto', 'http, https']], chainMode)).status).toBe(200);
      expect((await ask([chain, ['X-Forwarded-Proto', 'https, http']], chainMode)).status).toBe(301);
    });

    test('and is reached through a balancer with PROXY protocol redirects plain HTTP alone', async () => {
      const throughBalancer = async (proto: string, port: number) => {
        const preface = `PROXY TCP4 ${addressOf(oneStepMode)} 127.0.0.1 5000 ${port}\r\n`;
        return (await proxy.ask([['X-Forwarded-Proto', proto]], { from: balancer, preface })).status;
      };
      expect(await throughBalancer('https', 80)).toBe(200);
      expect(await throughBalancer('http', proxy.tlsPort)).toBe(200);
      expect(await throughBalancer('http', 80)).toBe(301);
    });

    test.each([
      ['HTTPS', 200],
      ['wss', 200],
      ['ws', 301],
      ['', 301],
    ])('of %j gets %i', async (proto, status) => {
      expect((await ask([['X-Forwarded-Proto', proto]], oneStepMode)).status).toBe(status);
    });
  });
});
