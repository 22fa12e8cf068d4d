import { afterAll, beforeAll, expect, test } from 'vitest';
import { echoHost, RenderedProxy } from '../../../testkit/configuration/rendered-proxy.ts';
import { describeOnProductProxies } from '../../../testkit/proxies.ts';
import { oneStepMode } from '../../domain/upstream-modes.ts';

const [blocked, upstream] = ['127.0.0.66', '127.0.0.5'];
const token = 'DGyRejmCefe7v4NfDGDKfA';
const answer = `${token}.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI`;
const path = `/.well-known/acme-challenge/${token}`;
const maps = {
  blockedMap: `${blocked} 1\n`,
  upstreamsMap: `${upstream} ${oneStepMode}\n`,
  httpsSites: `${echoHost} redirect:300:only\n`,
  'acme_challenges.map': `${path} ${answer}\n`,
};
const statusOf = (reply: string) => Number(/^HTTP\/1\.[01] (\d{3})/.exec(reply)?.[1]);
const bodyOf = (reply: string) => reply.slice(reply.indexOf('\r\n\r\n') + 4);

describeOnProductProxies('a challenge of an open order', ({ bin }) => {
  let proxy: RenderedProxy;
  beforeAll(async () => {
    proxy = await RenderedProxy.start({ bin, maps, https: {} });
  });
  afterAll(() => proxy?.stop());

  test('is answered to every client, before the redirect', async () => {
    for (const from of ['127.0.0.1', blocked, upstream]) {
      for (const host of [echoHost, 'unknown.example', '127.0.0.1']) {
        const reply = await proxy.get(path, { from, host });
        expect([statusOf(reply), bodyOf(reply)], `${from} ${host}`).toEqual([200, answer]);
        expect(reply).toMatch(/^cache-control: no-store\r$/im);
        expect(reply).not.toMatch(/^strict-transport-security/im);
      }
    }
    const tls = await proxy.get(path, { host: echoHost, tls: echoHost, from: blocked });
    expect([statusOf(tls), bodyOf(tls)]).toEqual([200, answer]);
    const named = await proxy.get(path, { from: upstream, host: echoHost, headers: [`X-Forwarded-For: ${blocked}`] });
    expect(statusOf(named)).toBe(200);
  });

  test.each([
    ['another token', '/.well-known/acme-challenge/DGyRejmCefe7v4NfDGDKfB'],
    ['none', '/.well-known/acme-challenge/'],
    ['an encoded path', path.replace('D', '%44')],
    ['a doubled slash', `/${path}`],
    ['a path with dots', `/.well-known/x/../acme-challenge/${token}`],
    ['a longer path', `${path}/x`],
    ['a very long path', `/.well-known/acme-challenge/${'x'.repeat(8_000)}`],
    ['upper case', path.toUpperCase()],
    ['the rest of the site', '/'],
  ])('lets a blocked client reach nothing else: %s', async (_what, other) => {
    expect(statusOf(await proxy.get(other, { from: blocked, host: echoHost }))).toBe(403);
    // Others reach the site, here by its redirect.
    expect([301, 308]).toContain(statusOf(await proxy.get(other, { host: echoHost })));
  });

  test('is no matter of other methods', async () => {
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) {
      const request = `${method} ${path} HTTP/1.1\r\nHost: ${echoHost}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
      const status = statusOf(await proxy.raw(request, { from: blocked }));
      // HAProxy takes HEAD for GET.
      expect(status, method).toBe(method === 'HEAD' ? 200 : 403);
    }
  });

  test('with a query is answered too, which is not repeated', async () => {
    const reply = await proxy.get(`${path}?a=%0d%0aX:1`, { from: blocked });
    expect([statusOf(reply), bodyOf(reply)]).toEqual([200, answer]);
  });
});
