import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../testkit/conditions.ts';
import { echoHost, RenderedProxy } from '../../../testkit/configuration/rendered-proxy.ts';
import { Syslog } from '../../../testkit/haproxy/syslog.ts';
import { describeOnProductProxies } from '../../../testkit/proxies.ts';
import { startUpstream, type Upstream } from '../../../testkit/upstream.ts';

const line =
  /^client=(?<client>\S+) peer=(?<peer>\S+) status=(?<status>\S+) term=(?<term>\S+) bytes=\d+ ms=\S+ server=(?<server>\S+) ref=(?<ref>\S+) request="(?<request>[^"]*)" host=(?<host>\S+)$/;

/** Denied requests that are logged in a second. */
const limit = 100;

describeOnProductProxies('the access log of the built-in template', ({ bin }) => {
  let syslog: Syslog;
  let server: Upstream;
  let proxy: RenderedProxy;

  /** The only line with this text, by its fields. */
  const logged = async (text: string) => {
    const found = await eventually(`a line with ${text}`, () => {
      const lines = syslog.lines.filter((one) => one.includes(text));
      return lines.length > 0 && lines;
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(line);
    return line.exec(found[0]!)!.groups!;
  };

  beforeAll(async () => {
    syslog = await Syslog.listen();
    server = await startUpstream('shop');
    proxy = await RenderedProxy.start({
      bin,
      maps: { blockedMap: '127.0.0.2 1\n127.0.0.3 1\n::1 1\n', trustedMap: '127.0.0.3 1\n' },
      input: {
        accessLog: syslog.address,
        sites: [{ domain: 'shop.example.com', servers: [{ address: '127.0.0.1', port: server.port }] }],
      },
    });
  });
  afterAll(async () => {
    await proxy?.stop();
    await server?.stop();
    syslog?.close();
  });

  test('has client, peer, status, server, Host and request', async () => {
    await proxy.get('/ordinary', { from: '127.0.0.9', host: 'Shop.example.com:80' });
    expect(await logged('/ordinary')).toMatchObject({
      client: '127.0.0.9',
      peer: '127.0.0.9',
      status: '200',
      term: '--',
      server: `site_shop.example.com/s1_127.0.0.1:${server.port}`,
      ref: expect.stringMatching(/^7F000009-[0-9A-F]{8}-[0-9A-F]{4,8}$/),
      host: 'shop.example.com',
      request: 'GET /ordinary HTTP/1.1',
    });
  });

  test('has what HAProxy denies, and trusted addresses as served', async () => {
    await proxy.get('/denied', { from: '127.0.0.2' });
    await proxy.get('/denied-six', { from: '::1' });
    await proxy.get('/trusted', { from: '127.0.0.3' });
    expect(await logged('/denied ')).toMatchObject({ client: '127.0.0.2', status: '403', term: 'PR' });
    expect(await logged('/denied-six')).toMatchObject({ client: '::1', peer: '::1', status: '403', term: 'PR' });
    expect(await logged('/trusted')).toMatchObject({ client: '127.0.0.3', status: '200' });
  });

  test('has a malformed request, and no connection without one', async () => {
    const silent = connect({ port: proxy.port, host: '127.0.0.1', localAddress: '127.0.0.8' });
    await new Promise((resolve) => silent.once('connect', resolve));
    silent.destroy();
    await proxy.raw('no request at all\r\n\r\n', { from: '127.0.0.7' });
    await proxy.get('/after', { from: '127.0.0.8' });
    expect(await logged('client=127.0.0.7')).toMatchObject({ status: '400', term: 'PR', request: '<BADREQ>' });
    expect(await logged('client=127.0.0.8')).toMatchObject({ request: 'GET /after HTTP/1.1' });
  });

  test.each([
    ['a path', 'GET /own-1" client=9.9.9.9 peer=9.9.9.9 status=401 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a quoted path', 'GET /own-2"client=9.9.9.9 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['a Host', 'GET /own-3 HTTP/1.1\r\nHost: a" client=9.9.9.9 x="\r\nConnection: close\r\n\r\n'],
    ['control characters', 'GET /own-4 HTTP/1.1\r\nHost: a\x01\x1b[2J\x7f\xff\r\nConnection: close\r\n\r\n'],
    ['a method', 'client=9.9.9.9 /own-5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ])('names the client first and on one line, whatever is in %s', async (_what, text) => {
    const before = syslog.lines.length;
    await proxy.raw(Buffer.from(text, 'latin1'), {
      from: '127.0.0.6',
      isComplete: (reply) => reply.includes('\r\n\r\n'),
    });
    await eventually('it is logged', () => syslog.lines.length > before);
    const [one = '', ...more] = syslog.lines.slice(before);
    expect(more).toEqual([]);
    expect(one).toMatch(/^client=127\.0\.0\.6 peer=127\.0\.0\.6 status=\d+ term=/);
    expect(one).toMatch(/^[ -~]+$/);
  });

  test('keeps 1,024 bytes of a long request, and is cut off at 2,048', async () => {
    await proxy.get(`/long${'x'.repeat(6_000)}`, { host: 'y'.repeat(6_000) });
    const found = await eventually('it is logged', () => syslog.lines.find((one) => one.includes('/longx')));
    expect(found).toMatch(/ request="GET \/longx{900,1024}" host=y{500,}$/);
    expect(found.length).toBeLessThan(2_048);
  });

  test('has about 100 denied requests a second of a flood, and every other request', async () => {
    const seen = () => syslog.lines.filter((one) => one.includes('/flood'));
    const others = () => syslog.lines.filter((one) => one.includes('/beside')).length;
    const denied = async () =>
      Number(/^http,FRONTEND,(?:[^,]*,){8}(\d+),/m.exec(await proxy.command('show stat'))?.[1]);
    const before = await denied();
    const sent = 4_000;
    const batch = Array(100).fill('GET /flood HTTP/1.1\r\nHost: a\r\n\r\n').join('');
    const began = performance.now();
    const flood = Array.from({ length: 8 }, async () => {
      for (let n = 0; n < sent / 100 / 8; n += 1) {
        await proxy.raw(batch, { from: '127.0.0.2', isComplete: (reply) => reply.split('HTTP/1.1 403').length > 100 });
      }
    });
    for (let n = 0; n < 20; n += 1) await proxy.get('/beside');
    await Promise.all(flood);
    const seconds = (performance.now() - began) / 1_000;
    await proxy.get('/beside');
    await eventually('the other requests are logged', () => others() === 21);
    expect(await denied()).toBe(before + sent);
    expect(seen().length).toBeGreaterThanOrEqual(limit / 2);
    // HAProxy's rate is an average over a sliding second, which lets up to twice the limit through at first.
    expect(seen().length).toBeLessThanOrEqual(limit * (seconds + 2));
    // It has denied requests again when the flood ends.
    await eventually('a denied request is logged', async () => {
      await proxy.get('/again', { from: '127.0.0.2' });
      return syslog.lines.some((one) => one.includes('/again'));
    });
  });
});

describeOnProductProxies('the access log to a socket that does not exist', ({ bin }) => {
  test('is no obstacle to a request', async () => {
    const proxy = await RenderedProxy.start({ bin, input: { accessLog: '/nowhere/log' } });
    try {
      expect(await proxy.get('/', { host: echoHost })).toMatch(/^HTTP\/1\.1 200/);
    } finally {
      await proxy.stop();
    }
  });
});
