// POST /api/client-address and `check --peer` against HAProxy with the service's own configuration.
import { createServer, type Server } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLineUser } from '../testkit/command-line-user.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

type Headers = readonly (readonly [name: string, value: string])[];

/** By the last part of the peer. */
const upstreams = {
  chain: { networks: ['127.0.0.11', '10.0.0.0/10', '2001:db8:cd::/48'], header: 'x-forwarded-for', chain: true },
  lenient: { networks: ['127.0.0.12'], header: 'x-forwarded-for', on_invalid: 'judge_upstream' },
  step: { networks: ['127.0.0.13', '100.64.0.0/10'], header: 'x-forwarded-for' },
  cdn: { networks: ['127.0.0.14', '173.245.48.0/20'], header: 'cf-connecting-ip' },
} as const;
const [chain, lenient, step, cdn, direct, blockedDirect] = [11, 12, 13, 14, 50, 66].map((last) => `127.0.0.${last}`);
const blocked = ['203.0.113.0/24', '2001:db8:bad::/48', '10.1.0.0/16', '127.0.0.66', '198.51.100.77'];

const xff = (...lines: string[]): Headers => lines.map((line) => ['X-Forwarded-For', line] as const);
const cf = (...lines: string[]): Headers => lines.map((line) => ['CF-Connecting-IP', line] as const);

type Probe = readonly [what: string, peer: string | undefined, headers: Headers, expected: number | string];

/** The client that the server receives, or the status that HAProxy answers itself. */
const probes: readonly Probe[] = [
  ['no header', chain, [], '127.0.0.11'],
  ['a client', chain, xff('198.51.100.1'), '198.51.100.1'],
  ['a blocked client', chain, xff('203.0.113.9'), 403],
  ['a spoofed address left of it', chain, xff('198.51.100.1, 203.0.113.9'), 403],
  ['two lines', chain, xff('198.51.100.1', '203.0.113.9'), 403],
  ['a hop', chain, xff('203.0.113.9, 10.2.0.1'), 403],
  ['a hop in lower case', chain, [['x-forwarded-for', '203.0.113.9, 10.2.0.1']], 403],
  ['an internal client that is blocked', chain, xff('10.1.0.1'), 403],
  ['garbage', chain, xff('unknown'), 400],
  ['garbage behind a hop', chain, xff('198.51.100.1, unknown, 10.2.0.1'), 400],
  ['garbage left of the client', chain, xff('unknown, 198.51.100.1'), '198.51.100.1'],
  ['IPv6 in brackets', chain, xff('[2001:db8:bad::1]'), 403],
  ['IPv6 in brackets with a port', chain, xff('[2001:db8:bad::1]:443'), 403],
  ['IPv4 with a port', chain, xff('203.0.113.9:47011'), 403],
  ['quotes', chain, xff('"203.0.113.9"'), 400],
  ['IPv4 as IPv6', chain, xff('::ffff:203.0.113.9'), 403],
  ['6to4', chain, xff('2002:cb00:7109::1'), 403],
  ['six hops', chain, xff(`203.0.113.9${', 10.2.0.1'.repeat(5)}`), 400],
  ['five values', chain, xff(`203.0.113.9${', 10.2.0.1'.repeat(4)}`), 403],
  ['a comma at the end', chain, xff('203.0.113.9,'), 400],
  ['an empty value', chain, xff(''), 400],
  ['60 lines', chain, xff(...Array.from({ length: 59 }, () => '198.51.100.1'), '203.0.113.9'), 403],
  ['a trusted client', chain, xff('198.51.100.77'), '198.51.100.77'],
  ['a zone', chain, xff('fe80::1%eth0'), 400],
  ['zeros at the front', chain, xff('203.000.113.009'), 403],
  ['hexadecimal', chain, xff('0xcb007109'), 400],
  ['a CDN behind the balancer', chain, [...xff('173.245.48.9'), ...cf('203.0.113.9')], 403],
  ['a CDN header of a direct client', chain, [...xff('198.51.100.9'), ...cf('203.0.113.9')], '198.51.100.9'],
  ['garbage, checked as the upstream', lenient, xff('unknown'), '127.0.0.12'],
  ['one step', step, xff('203.0.113.9, 198.51.100.1'), '198.51.100.1'],
  ['one step, blocked', step, xff('203.0.113.9'), 403],
  ['one step to an upstream', step, xff('203.0.113.9, 100.64.1.1'), '100.64.1.1'],
  ['a header of one address', cdn, cf('198.51.100.1'), '198.51.100.1'],
  ['a blocked one', cdn, cf('203.0.113.9'), 403],
  ['it twice', cdn, cf('198.51.100.1', '198.51.100.1'), 400],
  ['a list in it', cdn, cf('198.51.100.1, 198.51.100.2'), 400],
  ['garbage in it', cdn, cf('unknown'), 400],
  ['it missing', cdn, xff('203.0.113.9'), '127.0.0.14'],
  ['IPv6 in it', cdn, cf('2001:db8:bad::1'), 403],
  ['a direct client that claims everything', direct, [...xff('203.0.113.9'), ...cf('203.0.113.9')], '127.0.0.50'],
  ['a blocked direct client', blockedDirect, [...xff('198.51.100.77'), ...cf('198.51.100.77')], 403],
];

describeOnOneProxy('the explanation of the client address', ({ bin }) => {
  let service: RealService;
  let server: Server;
  let operator: CommandLineUser;
  beforeAll(async () => {
    service = await RealService.start({ bin });
    operator = new CommandLineUser(service);
    server = createServer((request, response) => {
      const body = String(request.headers['x-forwarded-for']);
      response.writeHead(200, { 'content-length': body.length }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const put = async (path: string, body: object) => {
      const { status, text } = await service.call('PUT', path, { body });
      if (status >= 300) throw new Error(text);
    };
    await put('/api/sites/echo.example.com', {
      servers: [{ address: '127.0.0.1', port: (server.address() as AddressInfo).port }],
    });
    for (const [name, body] of Object.entries(upstreams)) await put(`/api/upstreams/${name}`, body);
    const batch = await service.call('POST', '/api/blocked-ips/batch?allow_wide=true', {
      body: { add: blocked.map((ip_address) => ({ ip_address, force: true })), remove: [] },
    });
    expect(batch.body).toMatchObject({ rejected_total: 0, runtime_map_updated: true });
    for (const ip of ['198.51.100.77', '198.51.100.78']) await put(`/api/trusted-ips/${ip}`, {});
  });
  afterAll(async () => {
    await service?.stop();
    server?.close();
  });

  const explain = async (peer: string, headers: Headers) => {
    const body = { peer, headers: headers.map(([name, value]) => ({ name, value })) };
    const answer = await service.call('POST', '/api/client-address', { body });
    expect(answer.status).toBe(200);
    return answer.body;
  };

  it.each(probes)('is what HAProxy does: %s', async (_, peer = '', headers, expected) => {
    expect(await ask(service.proxyPort, peer, headers)).toBe(expected);
    const { client, status } = await explain(peer, headers);
    expect(status ?? client).toBe(expected);
  });

  it('names the steps, the upstreams and the entry that decides', async () => {
    expect(await explain(`${chain}`, xff('198.51.100.1, 203.0.113.9, 10.2.0.1'))).toEqual({
      client: '203.0.113.9',
      steps: [
        { address: chain, header: null, upstream: 'chain' },
        { address: '10.2.0.1', header: 'x-forwarded-for', upstream: 'chain' },
        { address: '203.0.113.9', header: 'x-forwarded-for', upstream: null },
      ],
      upstream: 'chain',
      verdict: 'blocked',
      by: '203.0.113.0/24',
      status: 403,
      upstreams_in_force: true,
      upstreams_reason: null,
    });
    expect(await explain(`${chain}`, xff('198.51.100.77'))).toMatchObject({ verdict: 'trusted', by: '198.51.100.77' });
    // As GET /api/check answers, although no block is there to override.
    expect(await explain(`${chain}`, xff('198.51.100.78'))).toMatchObject({ verdict: 'trusted', by: '198.51.100.78' });
    expect(await explain(`${chain}`, [])).toMatchObject({ verdict: 'no_client', by: null, status: null });
    expect(await explain(`${chain}`, xff('-'))).toMatchObject({ verdict: 'unreadable', client: null, status: 400 });
    expect(await explain(`${direct}`, xff('-'))).toMatchObject({ verdict: 'allowed', upstream: null });
  });

  it('says that HAProxy refuses headers larger than its buffer, with its status', async () => {
    const padded = (bytes: number): Headers => [
      ['X-Pad', 'a'.repeat(8_000)],
      ['X-Pad', 'a'.repeat(bytes - 8_000 - 2 * (5 + 8))],
    ];
    for (const peer of [`${chain}`, `${direct}`]) {
      const status = await ask(service.proxyPort, peer, padded(15_361));
      expect([400, 431]).toContain(status);
      expect(await explain(peer, padded(15_361))).toEqual({
        client: null,
        steps: [],
        upstream: null,
        verdict: 'too_large',
        by: null,
        status,
        upstreams_in_force: true,
        upstreams_reason: null,
      });
      expect(await ask(service.proxyPort, peer, padded(15_000))).toBe(peer);
      expect(await explain(peer, padded(15_000))).toMatchObject({ client: peer, status: null });
    }
  });

  it('is what HAProxy does over HTTP/2, and for each request of a kept or pipelined connection', async () => {
    const some = probes.filter(([, peer, headers]) => peer === chain && headers.length < 50);
    const expected = some.map(([, , , outcome]) => outcome);
    expect(
      await askHttp2(
        service.proxyPort,
        `${chain}`,
        some.map(([, , headers]) => headers),
      ),
    ).toEqual(expected);
    const kept = some.filter(([, , , outcome]) => outcome !== 400);
    const sent = kept.map(([, , headers]) => headers);
    const outcomes = kept.map(([, , , outcome]) => outcome);
    expect(await askAll(service.proxyPort, `${chain}`, sent, 'one after the other')).toEqual(outcomes);
    expect(await askAll(service.proxyPort, `${chain}`, sent, 'at once')).toEqual(outcomes);
  });

  it.each([
    [{ peer: '127.0.0.0/8' }, 101, 'peer'],
    [{ peer: 'lb' }, 101, 'peer'],
    [{ peer: '127.0.0.1', headers: [{ name: 'X: y', value: '' }] }, 100, 'headers[0].name'],
    [{ peer: '127.0.0.1', headers: [{ name: 'X', value: 'a\r\nb' }] }, 100, 'headers[0].value'],
  ])('rejects %j', async (body, code, name) => {
    const answer = await service.call('POST', '/api/client-address', { body });
    expect(answer).toMatchObject({ status: 400, body: { code, errors: [{ name }] } });
  });

  it('is printed by the command line', async () => {
    const line = 'X-Forwarded-For: 203.0.113.9';
    const check = await operator.run(['check', '--peer', `${chain}`, '--header', line]);
    expect(check).toMatchObject({ code: 0, err: '' });
    expect(check.out.trim().split('\n')).toEqual([
      `${chain} (upstream chain) connects`,
      'x-forwarded-for names 203.0.113.9',
      'HAProxy checks 203.0.113.9: blocked by 203.0.113.0/24, so it answers 403',
    ]);
    const said = async (value: string) => {
      const { out } = await operator.run(['check', '--peer', `${chain}`, '--header', `X-Forwarded-For:${value}`]);
      return out.trim().split('\n').at(-1);
    };
    expect(await said(' 203.0.113.9 \t')).toBe(
      'HAProxy checks 203.0.113.9: blocked by 203.0.113.0/24, so it answers 403',
    );
    // HAProxy reads no such blank as one.
    expect(await said(' 203.0.113.9\u00a0')).toBe('the next header value cannot be read, so HAProxy answers 400');
    expect(await said(` 203.0.113.9${', 10.2.0.1'.repeat(5)}`)).toBe(
      'x-forwarded-for names more than 5 addresses in a row, which is the limit: HAProxy answers 400',
    );
    for (const words of [
      ['--header', line],
      ['--peer', `${chain}`, '192.0.2.1'],
      [],
      ['--peer', `${chain}`, '--header', 'x'],
    ])
      expect((await operator.run(['check', ...words])).code).toBe(2);
  });
});

/** The status, or the address that the server received. */
async function ask(port: number, peer: string, headers: Headers): Promise<number | string> {
  const [outcome] = await askAll(port, peer, [headers], 'at once');
  return outcome ?? 0;
}

/** On one connection. */
async function askAll(
  port: number,
  peer: string,
  requests: readonly Headers[],
  how: 'at once' | 'one after the other',
): Promise<(number | string)[]> {
  const texts = requests.map((headers, index) => requestText(headers, index === requests.length - 1));
  const socket = connect({ host: '127.0.0.1', port, localAddress: peer });
  socket.setEncoding('latin1');
  let received = '';
  const send = how === 'at once' ? [texts.join('')] : texts;
  return await new Promise((resolve, reject) => {
    let sent = 0;
    const sendNext = () => {
      if (sent < send.length && outcomesIn(received).length >= sent) socket.write(send[sent++] as string);
    };
    socket.on('data', (part) => {
      received += part;
      sendNext();
    });
    socket.once('end', () => resolve(outcomesIn(received))).once('error', reject);
    sendNext();
  });
}

function requestText(headers: Headers, isLast: boolean): string {
  const lines = [['Host', 'echo.example.com'], ...headers, ...(isLast ? [['Connection', 'close']] : [])];
  return `GET / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Of complete replies: their length is given, except for that of the last. */
function outcomesIn(text: string): (number | string)[] {
  const outcomes: (number | string)[] = [];
  for (let rest = text; rest.includes('\r\n\r\n'); ) {
    const head = rest.slice(0, rest.indexOf('\r\n\r\n') + 4);
    const body = rest.slice(head.length);
    const length = Number(/^content-length: *(\d+)\r$/im.exec(head)?.[1] ?? body.length);
    if (body.length < length) break;
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    outcomes.push(status === 200 ? body.slice(0, length) : status);
    rest = body.slice(length);
  }
  return outcomes;
}

/** As streams of one connection, at once. */
async function askHttp2(port: number, peer: string, requests: readonly Headers[]): Promise<(number | string)[]> {
  const session = connectHttp2('http://echo.example.com', {
    createConnection: () => connect({ host: '127.0.0.1', port, localAddress: peer }),
  });
  try {
    return await Promise.all(
      requests.map(
        (headers) =>
          new Promise<number | string>((resolve, reject) => {
            const fields: Record<string, string[]> = {};
            for (const [name, value] of headers)
              fields[name.toLowerCase()] = [...(fields[name.toLowerCase()] ?? []), value];
            const stream = session.request(fields);
            let status = 0;
            let body = '';
            stream.setEncoding('latin1');
            stream.once('response', (answer) => {
              status = Number(answer[':status']);
            });
            stream.on('data', (part: string) => {
              body += part;
            });
            stream.once('end', () => resolve(status === 200 ? body : status)).once('error', reject);
          }),
      ),
    );
  } finally {
    session.destroy();
  }
}
