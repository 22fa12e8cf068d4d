import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Headers, RenderedProxy, type Reply, receivedBy } from '../../../testkit/configuration/rendered-proxy.ts';
import { describeOnProductProxies, longTests } from '../../../testkit/proxies.ts';
import { testSeed } from '../../../testkit/seed.ts';

const maps = { blockedMap: '127.0.0.66 1\n127.0.0.67 1\n', trustedMap: '127.0.0.67 1\n127.0.0.77 1\n' };
const judged = (address: string): Headers => [
  ['x-forwarded-for', address],
  ['x-forwarded-proto', 'http'],
];

const claim = '127.0.0.77';
const claims: Headers = [
  ['X-Forwarded-For', claim],
  ['x-forwarded-for', `${claim}, 10.0.0.1`],
  ['X_Forwarded_For', claim],
  ['X-Forwarded_For', claim],
  ['X.Forwarded.For', claim],
  ['X-Real-IP', claim],
  ['X_REAL_IP', claim],
  ['Forwarded', `for=${claim};proto=https;host=evil.example`],
  ['CF-Connecting-IP', claim],
  ['CF_Connecting_IP', claim],
  ['True-Client-IP', claim],
  ['Fastly-Client-IP', claim],
  ['X-Client-IP', claim],
  ['Client-IP', claim],
  ['X-Cluster-Client-IP', claim],
  ['X-Vercel-Forwarded-For', claim],
  ['X-Originating-IP', claim],
  ['X-Remote-IP', claim],
  ['X-Remote-Addr', claim],
  ['X-ProxyUser-Ip', claim],
  ['WL-Proxy-Client-IP', claim],
  ['CF-Connecting-IPv6', claim],
  ['X.Real.IP', claim],
  ['X-Original-Forwarded-For', claim],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Port', '443'],
  ['X-Forwarded-Server', 'evil.example'],
  ['X-Forwarded-Prefix', '/evil'],
];
/** Names of HTTP/2 are in lower case. */
const inLowerCase = (headers: Headers): Headers => headers.map(([name, value]) => [name.toLowerCase(), value]);

/** What a client sends in the attempt to be another one. */
const anyClaims: fc.Arbitrary<Headers> = fc.array(
  fc.tuple(
    fc
      .tuple(
        fc.constantFrom(...new Set(inLowerCase(claims).map(([name]) => name))),
        fc.array(fc.constantFrom('-', '_', '.', '~', '!', '|'), { minLength: 4, maxLength: 4 }),
      )
      .map(([name, marks]) => {
        let place = 0;
        return name.replace(/[-_.]/g, () => marks[place++] ?? '-');
      }),
    fc.constantFrom(claim, `${claim}, ${claim}`, '', '::1', `[::ffff:${claim}]:80`, 'unknown', 'https', `"${claim}"`),
  ),
  { maxLength: 6 },
);

describeOnProductProxies('without upstreams, the built-in template', ({ bin }) => {
  let proxy: RenderedProxy;
  beforeAll(async () => {
    proxy = await RenderedProxy.start({ bin, maps });
  });
  afterAll(() => proxy.stop());

  const all = (replies: readonly Reply[]) => replies.map(receivedBy);

  test('sends servers the address of the connection once, whatever the client claims', async () => {
    expect(receivedBy(await proxy.ask(claims, { from: '127.0.0.9' }))).toEqual(judged('127.0.0.9'));
  });

  test('does so for every request of a kept or pipelined connection, and over HTTP/2', async () => {
    const requests = [claims, [], claims];
    const expected = [judged('127.0.0.9'), judged('127.0.0.9'), judged('127.0.0.9')];
    expect(all(await proxy.keep(requests, { from: '127.0.0.9' }))).toEqual(expected);
    expect(all(await proxy.exchange(requests, { from: '127.0.0.9' }))).toEqual(expected);
    expect(all(await proxy.askHttp2(requests.map(inLowerCase), { from: '127.0.0.9' }))).toEqual(expected);
  });

  test('sends servers the IPv4 address of a client that a listener reports as IPv6', async () => {
    const to = { from: '127.0.0.9', mapped: true };
    expect(receivedBy(await proxy.ask(claims, to))).toEqual(judged('127.0.0.9'));
    expect((await proxy.ask([], { ...to, from: '127.0.0.66' })).status).toBe(403);
    expect((await proxy.ask([], { ...to, from: '127.0.0.67' })).status).toBe(200);
  });

  test('denies a blocked client that claims to be a trusted one', async () => {
    expect((await proxy.ask(claims, { from: '127.0.0.66' })).status).toBe(403);
    expect((await proxy.askHttp2([inLowerCase(claims)], { from: '127.0.0.66' }))[0]?.status).toBe(403);
  });

  test('does not let a client name the address as a header that the next proxy removes', async () => {
    const received = receivedBy(
      await proxy.ask([['Connection', 'keep-alive, X-Forwarded-For']], { from: '127.0.0.9' }),
    );
    expect(received).toEqual(judged('127.0.0.9'));
    expect(receivedBy(await proxy.ask([['Connection', 'x-real-thing']]))).toContainEqual([
      'connection',
      'x-real-thing',
    ]);
  });

  test('passes all other headers on', async () => {
    const usual: Headers = [
      ['x-requested-with', 'XMLHttpRequest'],
      ['x-client-id', 'a'],
      ['x-real-name', 'b'],
      ['via', '1.1 proxy'],
      ['cookie', 'a=b'],
    ];
    expect(receivedBy(await proxy.ask(usual))).toEqual([...usual, ...judged('127.0.0.1')]);
  });

  test(
    'sends servers nothing of what clients claim, however they spell it',
    async () => {
      const requests = fc.sample(anyClaims, { numRuns: longTests ? 10_000 : 400, seed: testSeed });
      for (let first = 0; first < requests.length; first += 50) {
        const some = requests.slice(first, first + 50);
        const replies = all(await proxy.exchange(some, { from: '127.0.0.9' }));
        expect(replies).toEqual(some.map(() => judged('127.0.0.9')));
      }
    },
    longTests ? 300_000 : undefined,
  );
});
