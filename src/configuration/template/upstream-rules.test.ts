import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../testkit/conditions.ts';
import { entryOf, lookupIn, mapFiles, sampleMaps } from '../../../testkit/configuration/address-maps.ts';
import { type Headers, RenderedProxy, type Reply, receivedBy } from '../../../testkit/configuration/rendered-proxy.ts';
import { describeOnProductProxies } from '../../../testkit/proxies.ts';
import { clientAddress } from '../../domain/client-address.ts';

const lookup = lookupIn(sampleMaps);
const xff = (...lines: string[]): Headers => lines.map((line) => ['X-Forwarded-For', line]);
const cf = (...lines: string[]): Headers => lines.map((line) => ['CF-Connecting-IP', line]);

const blocked = '203.0.113.9';
const client = '198.51.100.1';
const hops = (count: number) => Array.from({ length: count }, (_, hop) => `10.2.0.${hop + 1}`).join(', ');

type Outcome = number | string;

/** Peer, headers, and the address that the server receives, or the status without a server. */
const probes: Readonly<Record<string, readonly (readonly [what: string, headers: Headers, outcome: Outcome])[]>> = {
  // Its own address is in a blocked network.
  '127.0.0.1': [
    ['no header', [], '127.0.0.1'],
    ['a client', xff(client), client],
    ['a blocked client', xff(blocked), 403],
    ['a blocked client that claims another address', xff(`${client}, ${blocked}`), 403],
    ['a claim in another line', xff(client, blocked), 403],
    ['a client behind a hop', xff(`${blocked}, 10.2.0.1`), 403],
    ['an internal client that is blocked', xff('10.1.1.1'), 403],
    ['hops only', xff('10.1.1.2, 10.2.0.1'), 403],
    ['hops only, not blocked', xff('10.2.0.2, 10.2.0.1'), '10.2.0.2'],
    ['itself', xff('127.0.0.1'), 403],
    ['garbage', xff('unknown'), 400],
    ['garbage behind a hop', xff(`${client}, unknown, 10.2.0.1`), 400],
    ['garbage that replaces a hop', xff(`${client}, unknown`), 400],
    ['garbage left of the client', xff(`unknown, ${client}`), client],
    ['an IPv6 address in brackets', xff('[2001:db8:bad::1]'), 403],
    ['an IPv6 address with a port', xff('[2001:db8:bad::1]:443'), 403],
    ['an IPv6 client', xff('2001:DB8:600D:0::1'), '2001:db8:600d::1'],
    ['an IPv4 address with a port', xff(`${blocked}:47011`), 403],
    ['a quoted address', xff(`"${client}"`), 400],
    ['a mapped address', xff(`::ffff:${blocked}`), 403],
    ['a mapped address that is not blocked', xff(`::ffff:${client}`), client],
    ['a 6to4 address of a blocked client', xff('2002:cb00:7109::1'), 403],
    ['six values', xff(`${client}, ${hops(5)}`), 400],
    ['five values', xff(`${blocked}, ${hops(4)}`), 403],
    ['five hops and nothing else', xff(hops(5)), '10.2.0.1'],
    ['a comma at the end', xff(`${client},`), 400],
    ['an empty line', xff(''), 400],
    ['an empty value', xff(`${client}, , 10.2.0.1`), 400],
    ['60 lines', xff(...Array.from({ length: 59 }, () => client), blocked), 403],
    ['1,000 values', xff(`${`${client}, `.repeat(999)}${blocked}`), 403],
    ['a folded line', xff(`${client},\r\n ${blocked}`), 403],
    ['blanks and tabs', xff(`${client} ,\t ${blocked}\t `), 403],
    ['a trusted client that is blocked', xff('203.0.113.77'), '203.0.113.77'],
    ['a zone', xff('fe80::1%eth0'), 400],
    ['leading zeros', xff('203.000.113.009'), 403],
    ['hexadecimal', xff('0xcb007109'), 400],
    ['three parts', xff('203.113.9'), 400],
    ['a port that is none', xff(`${client}:99999`), 400],
    ['an upstream that is believed for one value', xff(`${blocked}, ${client}, 100.64.0.1`), client],
    ['that upstream alone', xff('100.64.0.1'), '100.64.0.1'],
    ['garbage before that upstream', xff(`${client}, unknown, 100.64.0.1`), 400],
    ['an edge of a CDN that names a blocked client', [...xff('173.245.48.9'), ...cf(blocked)], 403],
    ['an edge of a CDN that names no client', xff('173.245.48.9'), '173.245.48.9'],
    ['an edge of a CDN that names garbage', [...xff('173.245.48.9'), ...cf('unknown')], 400],
    ['a client that claims to come from a CDN', [...xff(client), ...cf('198.51.100.77')], client],
    ['a hop whose garbage is tolerated', xff('unknown, 10.9.0.1'), '10.9.0.1'],
    ['another header', cf(client), '127.0.0.1'],
  ],
  '127.0.0.2': [
    ['the last value', xff(`${blocked}, ${client}`), client],
    ['a blocked last value', xff(`${client}, ${blocked}`), 403],
    ['a network of upstreams', xff(`${client}, 10.2.0.1`), '10.2.0.1'],
    ['another of its own networks', xff(`${client}, 100.64.1.1`), '100.64.1.1'],
    ['garbage', xff(`${client}, unknown`), 400],
    ['no header', [], '127.0.0.2'],
  ],
  '127.0.0.3': [
    ['a client', cf(client), client],
    ['a blocked client', cf(blocked), 403],
    ['two lines', cf(client, client), 400],
    ['two values', cf(`${client}, ${client}`), 400],
    ['garbage', cf('unknown'), 400],
    ['an empty line', cf(''), 400],
    ['no header', xff(client), '127.0.0.3'],
    ['an IPv6 client that is blocked', cf('2001:db8:bad::1'), 403],
    ['an address in brackets', cf('[2001:db8::1]'), 400],
    ['an address of an upstream', cf('10.1.1.1'), 403],
    ['a mapped address', cf(`::ffff:${client}`), client],
  ],
  '127.0.0.4': [
    ['a client', [['True-Client-IP', client]], client],
    ['a blocked client', [['True-Client-IP', blocked], ...cf(client)], 403],
  ],
  '127.0.0.5': [
    ['a client', [['Fastly-Client-IP', client]], client],
    ['a blocked client', [['Fastly-Client-IP', blocked], ...xff(client)], 403],
  ],
  '127.0.0.6': [
    ['a client', [['X-Real-IP', client]], client],
    ['a blocked client', [['X-Real-IP', blocked], ...xff(client)], 403],
    ['garbage', [['X-Real-IP', 'unknown'], ...xff(client)], 400],
  ],
  '127.0.0.21': [
    ['garbage', xff('unknown'), '127.0.0.21'],
    ['garbage behind a hop', xff(`${client}, unknown, 10.9.0.1`), '10.9.0.1'],
    ['garbage of a hop that is not tolerated', xff('unknown, 10.2.0.1'), 400],
    ['six values', xff(`${client}, ${hops(5).replaceAll('10.2', '10.9')}`), '10.9.0.1'],
    ['a blocked client', xff(blocked), 403],
  ],
  '127.0.0.22': [
    ['garbage', xff('unknown'), '127.0.0.22'],
    ['a blocked client', xff(blocked), 403],
  ],
  '127.0.0.23': [
    ['garbage', cf('unknown'), '127.0.0.23'],
    ['two lines', cf(blocked, blocked), '127.0.0.23'],
    ['a blocked client', cf(blocked), 403],
  ],
  '127.0.0.7': [['claims of a blocked client with a foreign value', [...xff(client), ...cf(client)], 403]],
  '127.0.0.103': [['claims of a client with a foreign value', [...xff(client), ...cf(client)], '127.0.0.103']],
  '127.0.0.50': [['claims of a direct client', [...xff(client), ...cf(client), ['X-Real-IP', client]], '127.0.0.50']],
  '127.0.0.66': [['claims of a blocked direct client', [...xff('198.51.100.77'), ...cf('198.51.100.77')], 403]],
};
const cases = Object.entries(probes).flatMap(([peer, ofPeer]) => ofPeer.map((probe) => ({ peer, probe })));

describe('in TypeScript', () => {
  test.each(cases)('$peer: $probe.0', ({ peer, probe: [, headers, outcome] }) => {
    const unfolded = headers.map(([name, value]) => [name, value.replaceAll('\r\n', '  ')] as const);
    const { client: judged, status } = clientAddress(entryOf(peer), unfolded, lookup);
    expect(status ?? judged?.text).toBe(outcome);
  });
});

const outcomeOf = (reply: Reply): Outcome =>
  reply.status === 200 ? addressesIn(receivedBy(reply)).join(' and ') : reply.status;
const addressesIn = (headers: Headers) =>
  headers.filter(([name]) => name === 'x-forwarded-for').map(([, value]) => value);

describeOnProductProxies('with upstreams, the built-in template', ({ bin }) => {
  let proxy: RenderedProxy;
  beforeAll(async () => {
    proxy = await RenderedProxy.start({ bin, maps: mapFiles(sampleMaps) });
  });
  afterAll(() => proxy.stop());

  test.each(cases)('from $peer: $probe.0', async ({ peer, probe: [, headers, outcome] }) => {
    expect(outcomeOf(await proxy.ask(headers, { from: peer }))).toBe(outcome);
    expect(outcomeOf(await proxy.ask(headers, { from: peer, mapped: true }))).toBe(outcome);
    if (headers.some(([, value]) => value.includes('\n')) || headers.length > 50) return;
    const inLowerCase = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
    expect((await proxy.askHttp2([inLowerCase], { from: peer })).map(outcomeOf)).toEqual([outcome]);
  });

  test('judges each request of a connection by its own headers', async () => {
    const requests = [xff(client), xff(blocked), [], xff('198.51.100.2')];
    const outcomes = [client, 403, '127.0.0.1', '198.51.100.2'];
    expect((await proxy.keep(requests, { from: '127.0.0.1' })).map(outcomeOf)).toEqual(outcomes);
    expect((await proxy.exchange(requests, { from: '127.0.0.1' })).map(outcomeOf)).toEqual(outcomes);
    const inLowerCase = requests.map((headers) => headers.map(([name, value]) => [name.toLowerCase(), value] as const));
    expect((await proxy.askHttp2(inLowerCase, { from: '127.0.0.1' })).map(outcomeOf)).toEqual(outcomes);
  });

  test('sends servers the judged address in every header of an address', async () => {
    const names = ['CF-Connecting-IP', 'True-Client-IP', 'Fastly-Client-IP', 'X-Real-IP'];
    const claims: Headers = names.flatMap((name) => [
      [name, '198.51.100.77'],
      [name, '198.51.100.78'],
    ]);
    const received = receivedBy(await proxy.ask([...xff(client), ...claims], { from: '127.0.0.1' }));
    expect(received).toEqual([
      ['x-forwarded-for', client],
      ...names.map((name) => [name.toLowerCase(), client]),
      ['x-forwarded-proto', 'http'],
    ]);
    expect(receivedBy(await proxy.ask(cf(client), { from: '127.0.0.3' }))).toContainEqual(['cf-connecting-ip', client]);
  });

  test('removes what the client of an upstream may have claimed, and keeps what the upstream says', async () => {
    const own: Headers = [
      ['x-forwarded-host', 'shop.example'],
      ['x-forwarded-port', '443'],
      ['x-forwarded-prefix', '/a'],
    ];
    const names = [
      'X_Forwarded_For',
      'X.Forwarded.For',
      'X_Real_IP',
      'X.Real.IP',
      'CF_Connecting_IP',
      'CF-Connecting-IPv6',
      'CF-Pseudo-IPv4',
      'Client-IP',
      'X-Client-IP',
      'X-Cluster-Client-IP',
      'X-Original-Forwarded-For',
      'X-Originating-IP',
      'X-Remote-IP',
      'X-Remote-Addr',
      'X-ProxyUser-Ip',
      'WL-Proxy-Client-IP',
      'CloudFront-Viewer-Address',
      'Forwarded',
    ];
    const claims: Headers = names.map((name) => [name, '198.51.100.77']);
    for (const some of [claims, ...claims.map((claim) => [claim])]) {
      const received = receivedBy(await proxy.ask([...xff(client), ...own, ...some], { from: '127.0.0.1' }));
      expect(received).toEqual([...own, ['x-forwarded-for', client], ['x-forwarded-proto', 'http']]);
    }
  });

  test('removes all of it from a direct client', async () => {
    const claims: Headers = [...xff(client), ['X-Forwarded-Host', 'evil.example'], ['X-Forwarded-Proto', 'https']];
    expect(receivedBy(await proxy.ask([...claims, ...cf(client)], { from: '127.0.0.50' }))).toEqual([
      ['x-forwarded-for', '127.0.0.50'],
      ['x-forwarded-proto', 'http'],
    ]);
  });

  test.each<[string, Headers, string]>([
    ['nothing', [], 'http'],
    ['https', [['X-Forwarded-Proto', 'https']], 'https'],
    ['HTTPS', [['X-Forwarded-Proto', 'HTTPS']], 'https'],
    ['a last value of http', [['X-Forwarded-Proto', 'https, http']], 'http'],
    ['another word', [['X-Forwarded-Proto', 'ftp']], 'http'],
    [
      'two lines',
      [
        ['X-Forwarded-Proto', 'http'],
        ['X-Forwarded-Proto', 'https'],
      ],
      'https',
    ],
  ])('sends servers the scheme that an upstream names: %s', async (_what, headers, scheme) => {
    const received = receivedBy(await proxy.ask([...xff(client), ...headers], { from: '127.0.0.1' }));
    expect(received.filter(([name]) => name === 'x-forwarded-proto')).toEqual([['x-forwarded-proto', scheme]]);
  });
});

describeOnProductProxies('with the PROXY protocol, the built-in template', ({ bin }) => {
  let proxy: RenderedProxy;
  beforeAll(async () => {
    proxy = await RenderedProxy.start({ bin, maps: mapFiles(sampleMaps) });
  });
  afterAll(() => proxy.stop());

  const v1 = (address: string, port = 80) =>
    `PROXY TCP${address.includes(':') ? 6 : 4} ${address} ${address.includes(':') ? '::1' : '192.0.2.1'} 5555 ${port}\r\n`;
  const through = (preface: Buffer | string) => ({ from: '127.0.0.9', preface });
  const v2 = (command: number, family: number, addresses: readonly number[]) => {
    const signature = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a];
    return Buffer.from([...signature, 0x20 | command, family, 0, addresses.length, ...addresses]);
  };
  const tcp4 = [203, 0, 113, 9, 192, 0, 2, 1, 0x15, 0xb3, 0, 80];

  test('judges the client that the peer names', async () => {
    expect(outcomeOf(await proxy.ask([], through(v1(client))))).toBe(client);
    expect(outcomeOf(await proxy.ask([], through(v1(blocked))))).toBe(403);
    expect(outcomeOf(await proxy.ask([], through(v1('2001:db8:bad::1'))))).toBe(403);
    expect(outcomeOf(await proxy.ask([], through(v2(1, 0x11, tcp4))))).toBe(403);
    expect(outcomeOf(await proxy.ask([], { ...through(v1(client)), mapped: true }))).toBe(client);
    expect((await proxy.keep([[], []], through(v1(client)))).map(outcomeOf)).toEqual([client, client]);
  });

  test('does not believe what that client claims', async () => {
    const claims: Headers = [...xff('198.51.100.77'), ['X-Forwarded-Proto', 'https']];
    expect(receivedBy(await proxy.ask(claims, through(v1(client))))).toEqual([
      ['x-forwarded-for', client],
      ['x-forwarded-proto', 'http'],
    ]);
  });

  test('serves the peer itself, although its network is blocked', async () => {
    expect(outcomeOf(await proxy.ask([], through(v2(0, 0, []))))).toBe('127.0.0.9');
    expect(outcomeOf(await proxy.ask([], through('PROXY UNKNOWN\r\n')))).toBe('127.0.0.9');
  });

  test('reads the header of an upstream that the peer names', async () => {
    expect(outcomeOf(await proxy.ask(cf(blocked), through(v1('173.245.48.9'))))).toBe(403);
    expect(outcomeOf(await proxy.ask(cf(client), through(v1('173.245.48.9'))))).toBe(client);
  });

  test('reads no header of another address that the peer names, whatever header the peer has', async () => {
    const maps = { ...mapFiles(sampleMaps), proxyProtocolMap: '127.0.0.3 1\n' };
    const withHeader = await RenderedProxy.start({ bin, maps });
    try {
      const asked = async (preface: string) =>
        outcomeOf(await withHeader.ask(cf(blocked), { from: '127.0.0.3', preface }));
      expect(await asked(v1(client))).toBe(client);
      expect(await asked(v1('127.0.0.3'))).toBe(403);
      expect(await asked('PROXY UNKNOWN\r\n')).toBe(403);
    } finally {
      await withHeader.stop();
    }
  });

  test.each([
    ['http://, port 80', 80, 'http'],
    ['https://, port 443', 443, 'https'],
  ])('sends servers %s', async (_what, port, scheme) => {
    expect(receivedBy(await proxy.ask([], through(v1(client, port))))).toEqual([
      ['x-forwarded-for', client],
      ['x-forwarded-proto', scheme],
    ]);
  });

  test.each([
    ['no header', ''],
    ['garbage', 'garbage\r\n'],
    ['no addresses', v2(1, 0, [])],
    ['datagrams', v2(1, 0x12, tcp4)],
  ])('closes a connection of the peer with %s', async (_what, preface) => {
    await expect(proxy.ask([], through(preface))).rejects.toThrow('without an answer');
  });

  test('answers such a header of any other peer with 400', async () => {
    for (const from of ['127.0.0.50', '127.0.0.1']) {
      const reply = await proxy.raw(Buffer.from(`${v1('198.51.100.77')}GET / HTTP/1.0\r\n\r\n`), { from });
      expect(reply).toMatch(/^HTTP\/1\.\d 400 /);
    }
  });
});

describeOnProductProxies('with upstreams, the rules for connections', ({ bin }) => {
  const limit = 10;
  /** More than half of `maxconn`. */
  const many = 60;
  const openFiles = 500;
  let proxy: RenderedProxy;
  beforeAll(async () => {
    const machine = { resolvConf: false, hosts: new Set<string>(), ipv6: false, syslogSocket: false, openFiles };
    const input = { connectionsPerSource: limit, machine };
    proxy = await RenderedProxy.start({ bin, maps: mapFiles(sampleMaps), input });
  });
  afterAll(() => proxy.stop());

  const named = (address: string) => ({
    from: '127.0.0.9',
    preface: `PROXY TCP4 ${address} 192.0.2.1 5555 80\r\n`,
  });

  test('limit the connections of a client, also of one that the PROXY protocol names, but not of upstreams', async () => {
    for (const [to, expected] of [
      [{ from: '127.0.0.50' }, limit],
      [named(client), limit],
      // Its bytes are those of 6to4: not counted as 3.4.0.0.
      [named('32.2.3.4'), limit],
      [{ from: '127.0.0.1' }, limit + 5],
    ] as const) {
      const held = await proxy.hold(limit + 5, to);
      try {
        await eventually('the limit is reached', () => held.open() <= expected);
        for (const other of ['198.51.100.2', '3.4.0.0'])
          expect(outcomeOf(await proxy.ask([], named(other)))).toBe(other);
        expect(held.open()).toBe(expected);
      } finally {
        held.end();
      }
    }
  });

  test('close connections of blocked clients under overload, but not of upstreams in a blocked network', async () => {
    const held = await proxy.hold(many, { from: '127.0.0.67' });
    try {
      const closed = 'without an answer';
      await expect(proxy.ask([], { from: '127.0.0.66' })).rejects.toThrow(closed);
      await expect(proxy.ask([], named(blocked))).rejects.toThrow(closed);
      expect(outcomeOf(await proxy.ask([], named(client)))).toBe(client);
      expect(outcomeOf(await proxy.ask(xff(client), { from: '127.0.0.1' }))).toBe(client);
      expect(outcomeOf(await proxy.ask(xff(blocked), { from: '127.0.0.1' }))).toBe(403);
      expect(held.open()).toBe(many);
    } finally {
      held.end();
    }
  });
});
