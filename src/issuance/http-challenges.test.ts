import { createServer, type Server } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type Headers, RenderedProxy, type RenderedProxyOptions } from '../../testkit/configuration/rendered-proxy.ts';
import { freePort } from '../../testkit/free-port.ts';
import { describeOnProductProxies } from '../../testkit/proxies.ts';
import type { ChallengesInConfiguration } from '../blocking/challenge-set.ts';
import { challengesIn } from '../configuration/rules/challenge-use.ts';
import { HttpChallenges } from './http-challenges.ts';

const token = 'DGyRejmCefe7v4NfDGDKfA';
const challenge = {
  type: 'http-01' as const,
  name: 'echo.example.com',
  authorizationUrl: 'https://ca.example/authorization/1',
  challengeUrl: 'https://ca.example/challenge/1',
  token,
  keyAuthorization: `${token}.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI`,
};
const maps = {
  'acme_challenges.map': `/.well-known/acme-challenge/${token} ${challenge.keyAuthorization}\n`,
  blockedMap: '127.0.0.0/8 1\n::1 1\n',
};

const challenges = (text: string, expectsProxy = false) => {
  const [path = ''] = /[^"(]*acme_challenges\.map/.exec(text) ?? [];
  const at = (name: string) => path.replace('acme_challenges.map', name);
  const paths = {
    blockedMap: at('blockedMap'),
    trustedMap: at('trustedMap'),
    proxyProtocolMap: at('proxyProtocolMap'),
  };
  return presenter(challengesIn([{ path: '', text }], { ...paths, acmeChallengesMap: path }, ''), expectsProxy);
};
const presenter = (usage: ChallengesInConfiguration, expectsProxy = false, withinMs = 2_000) =>
  new HttpChallenges({
    set: {
      inConfiguration: async () => usage,
      during: (_answer, work) => work(),
      show: async () => undefined,
      clear: async () => undefined,
    },
    speaksProxyProtocol: async () => expectsProxy,
    withinMs,
  });

describeOnProductProxies('an answer that this service asks HAProxy for', ({ bin }) => {
  const proxies: RenderedProxy[] = [];
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.stop();
  });
  const start = async (options: Partial<RenderedProxyOptions> = {}) => {
    const proxy = await RenderedProxy.start({ bin, maps, https: {}, ...options });
    proxies.push(proxy);
    return proxy.text;
  };
  const onlyFirst = (text: string) => text.replace(/^ +bind \[.*\n/gm, '');
  const rule = /^ +http-request return status 200 content-type text\/plain .*\n/m;

  it('is seen although this machine is blocked', async () => {
    const text = await start();
    expect(await challenges(text).show([challenge])).toBeNull();
    const other = { ...challenge, token: 'DGyRejmCefe7v4NfDGDKfB' };
    await expect(challenges(text).show([challenge, other])).rejects.toThrow(
      /a challenge of echo\.example\.com got status 403, not the answer/,
    );
  });

  it('is seen by HTTP/2 too, and nothing else is', async () => {
    await start();
    const path = (asked: string): Headers => [[':path', `/.well-known/acme-challenge/${asked}`]];
    const replies = await proxies[0]!.askHttp2([path(token), path(`${token}/`), path('')]);
    expect(replies.map(({ status }) => status)).toEqual([200, 403, 403]);
    expect(replies[0]!.body).toBe(challenge.keyAuthorization);
  });

  it('is not seen behind a redirect, which is named', async () => {
    const text = await start({
      change: (all) =>
        all.replace(rule, (line) => `    http-request redirect scheme https if { path_beg /. }\n${line}`),
    });
    await expect(challenges(text).show([challenge])).rejects.toThrow(
      /got status 302 to "https:\/\/echo\.example\.com\/\.well-known\/acme-challenge\//,
    );
  });

  it('is not seen if the rule is in another front end', async () => {
    const port = await freePort();
    const text = await start({
      change: (all) => {
        const [line = ''] = rule.exec(all) ?? [];
        return `${all.replace(rule, '')}\nfrontend other\n    bind 127.0.0.1:${port} ssl crt ${/crt (\S+)/.exec(all)![1]}\n${line}`;
      },
    });
    await expect(challenges(text).show([challenge])).rejects.toThrow('got status 403');
  });

  it('is seen where HAProxy expects PROXY protocol, of every client or of this machine', async () => {
    const text = await start({
      change: (all) => all.replace(/^( +bind 127\.0\.0\.1:\d+)$/m, '$1 accept-proxy'),
    });
    expect(text).toMatch(/accept-proxy\n/);
    expect(await challenges(onlyFirst(text)).show([challenge])).toBeNull();
    const upstreams = { ...maps, upstreamsMap: '127.0.0.1 131\n', proxyProtocolMap: '127.0.0.1 1\n' };
    const only = onlyFirst(await start({ maps: upstreams }));
    expect(await challenges(only, true).show([challenge])).toBeNull();
    await expect(challenges(only, false).show([challenge])).rejects.toThrow(/no reply/);
  });
});

it('is not asked for where that is not possible, which is not a failure', async () => {
  const usage = { mapLoaded: true, obstacle: null, addresses: [], oneSuffices: true, untried: ['it is a socket'] };
  expect(await presenter(usage).show([challenge])).toBe('it is a socket');
  await expect(presenter({ ...usage, mapLoaded: null }).show([challenge])).rejects.toThrow('it is not known');
});

it('is a failure if nothing listens, or what listens never answers, or answers without an end', async () => {
  const servers: Server[] = [];
  const listen = async (reply: string | null) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      if (reply !== null) socket.write(reply);
    });
    servers.push(server);
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return port;
  };
  const at = (port: number, proxyProtocol = false) => ({ host: '127.0.0.1', port, proxyProtocol });
  const show = async (...ports: readonly number[]) => {
    const usage = { mapLoaded: true, obstacle: null, oneSuffices: false, untried: [] };
    return await presenter({ ...usage, addresses: ports.map((port) => at(port)) }, false, 100).show([challenge]);
  };
  const endless = `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(2_000)}`;
  await expect(show(await freePort())).rejects.toThrow(/no reply \(.*ECONNREFUSED/);
  const other = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother';
  await expect(show(await listen(other))).rejects.toThrow('got another page, not the answer');
  await expect(show(await listen(endless))).rejects.toThrow('got another page, not the answer');
  await expect(show(await listen(`HTTP/1.1 200 OK\r\n\r\n${challenge.keyAuthorization}`))).rejects.toThrow(
    'nothing within',
  );
  for (const server of servers) server.close();
});
