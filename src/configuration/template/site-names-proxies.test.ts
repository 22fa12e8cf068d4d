// Which site answers for a name, redirects, and disabled sites, with real requests.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RenderedProxy } from '../../../testkit/configuration/rendered-proxy.ts';
import { describeOnProductProxies } from '../../../testkit/proxies.ts';
import type { Site } from '../../domain/site.ts';

describeOnProductProxies('names of sites', ({ bin }) => {
  const origins: Server[] = [];
  let proxy: RenderedProxy;

  const answering = async (text: string) => {
    const server = createServer((_request, response) => void response.end(text)).listen(0, '127.0.0.1');
    origins.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    return [{ address: '127.0.0.1', port: (server.address() as AddressInfo).port, options: { check: false } }];
  };

  beforeAll(async () => {
    const [a, b] = [await answering('from a'), await answering('from b')];
    const sites: Site[] = [
      {
        domain: 'a.example',
        servers: a,
        names: ['www.a.example', 'xn--bcher-kva.example', '*.a.example'],
        canonical: 'www.a.example',
      },
      { domain: 'b.a.example', servers: b, names: ['second.example'] },
      { domain: 'off.a.example', servers: b, names: ['*.off.example', 'two.off.example'], enabled: false },
      { domain: 'on.off.example', servers: b },
      { ...redirecting('old.example', 'https://new.example/', 301, true), names: ['*.old.example'] },
      redirecting('base.a.example', 'https://new.example/base', 307, true),
      redirecting('gone.example', "https://new.example/gone?a=%20'b'&c=(src)#de", 302, false),
      redirecting('moved.example', 'http://new.example:8080', 308, true),
    ];
    proxy = await RenderedProxy.start({ bin, maps: { upstreamsMap: '127.0.0.9 6\n' }, input: { sites } });
  });
  afterAll(async () => {
    await proxy?.stop();
    for (const origin of origins) origin.close();
  });

  const ask = async (host: string, { method = 'GET', path = '/x?y=1', from = '127.0.0.1', more = '' } = {}) => {
    const reply = await proxy.raw(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`, {
      from,
    });
    const [head = '', ...body] = reply.split('\r\n\r\n');
    const location = /^location: (.*)$/im.exec(head)?.[1];
    return { status: Number(head.slice(9, 12)), ...(location === undefined ? { text: body.join('') } : { location }) };
  };
  const noSite = { status: 404, text: 'no such site' };

  test.each([
    ['www.a.example', 'from a'],
    ['WWW.A.example.:80', 'from a'],
    ['any.a.example', 'from a'],
    ['under_score.a.example', 'from a'],
    ['xn--any-0ra.a.example', 'from a'],
    ['b.a.example', 'from b'],
    ['second.example', 'from b'],
    ['on.off.example', 'from b'],
  ])('%s is answered %s: an exact name wins over a wildcard', async (host, text) => {
    expect(await ask(host)).toEqual({ status: 200, text });
  });

  test.each([
    'two.labels.a.example',
    '.a.example',
    'any.b.a.example',
    'a%2a.a.example',
    'second.example.a',
    'any.second.example',
    'example',
    'disabled',
    'redirects',
  ])('%s has no site: a wildcard covers one label', async (host) => {
    expect(await ask(host)).toEqual(noSite);
  });

  test.each(['off.a.example', 'off.a.example:443', 'two.off.example', 'any.off.example'])(
    '%s of a disabled site is answered like a name without a site, also below a wildcard of another site',
    async (host) => {
      expect(await ask(host)).toEqual(noSite);
      expect(await ask(host, { method: 'POST' })).toEqual(noSite);
    },
  );

  describe('a name that is not the canonical one', () => {
    test.each(['a.example', 'xn--bcher-kva.example', 'A.Example'])('%s is redirected to it', async (host) => {
      expect(await ask(host)).toEqual({ status: 301, location: 'http://www.a.example/x?y=1' });
    });

    test.each([
      ['GET', 301],
      ['HEAD', 301],
      ['POST', 308],
      ['PUT', 308],
      ['OPTIONS', 308],
    ])('is redirected with a status that keeps the method: %s, %i', async (method, status) => {
      expect(await ask('a.example', { method })).toEqual({ status, location: 'http://www.a.example/x?y=1' });
    });

    test('is redirected with the port and the scheme of the request', async () => {
      expect(await ask('a.example.:8080')).toMatchObject({ location: 'http://www.a.example:8080/x?y=1' });
      const secure = { from: '127.0.0.9', more: 'X-Real-IP: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n' };
      expect(await ask('a.example', secure)).toMatchObject({ location: 'https://www.a.example/x?y=1' });
    });

    test.each(['//evil.example/%0d%0aX: y', '/%25%5bsrc%5d', '/a|b|c', '/..;/x', '/@evil.example'])(
      'is redirected with the path %s as it was sent',
      async (path) => {
        const sent = path.replaceAll(' ', '%20');
        expect(await ask('a.example', { path: sent })).toMatchObject({ location: `http://www.a.example${sent}` });
      },
    );

    test('is redirected for an absolute URI and for the URI *', async () => {
      expect(await ask('a.example', { path: 'http://a.example/x' })).toMatchObject({
        location: 'http://www.a.example/x',
      });
      const { location } = (await ask('a.example', { method: 'OPTIONS', path: '*' })) as { location: string };
      expect(new URL(location).host).toBe('www.a.example');
    });
  });

  describe('a site that redirects', () => {
    test.each([
      ['old.example', 301, 'https://new.example/x?y=1'],
      ['any.old.example', 301, 'https://new.example/x?y=1'],
      ['base.a.example', 307, 'https://new.example/base/x?y=1'],
      ['gone.example', 302, "https://new.example/gone?a=%20'b'&c=(src)#de"],
      ['moved.example', 308, 'http://new.example:8080/x?y=1'],
    ])('%s: %i to %s', async (host, status, location) => {
      for (const method of ['GET', 'POST']) expect(await ask(host, { method })).toEqual({ status, location });
    });

    test('denies a blocked client before it redirects', async () => {
      const denying = await RenderedProxy.start({
        bin,
        maps: { blockedMap: '127.0.0.7 1\n' },
        input: { sites: [redirecting('old.example', 'https://new.example', 301, true)] },
      });
      try {
        expect(await denying.get('/', { host: 'old.example', from: '127.0.0.7' })).toMatch(/^HTTP\/1\.1 403 /);
        expect(await denying.get('/', { host: 'old.example' })).toMatch(/^HTTP\/1\.1 301 /);
      } finally {
        await denying.stop();
      }
    });
  });
});

function redirecting(domain: string, to: string, status: 301 | 302 | 307 | 308, keepPath: boolean): Site {
  return { domain, servers: [], redirect: { to, status, keep_path: keepPath } };
}
