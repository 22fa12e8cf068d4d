import { expect, test } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';

const label = 'A'.repeat(63);
const longestName = (index: number) => [label, label, label, `${'A'.repeat(58)}${100 + index}`].join('.');

const largestSite = {
  servers: Array.from({ length: 100 }, (_, index) => ({
    address: longestName(index),
    port: 65_535,
    options: { weight: 256, backup: false, max_connections: 1_000_000, check: false, ssl: 'insecure' },
  })),
};

test.each([0, 2, 8])('accepts the largest site with any indentation (%i)', async (indent) => {
  const stub = stubApp();
  const response = await stub.app.inject({
    method: 'PUT',
    url: '/api/sites/a.example',
    headers: { ...BEARER, 'content-type': 'application/json' },
    payload: JSON.stringify(largestSite, null, indent).replaceAll('\n', '\r\n'),
  });
  expect(response.statusCode).toBe(200);
  expect(stub.calls.map(({ method }) => method)).toEqual(['sites.put']);
});

test('limits bodies of one object to 64 KiB, or to 128 KiB where a route sets its own limit', async () => {
  const routes: { method: string; url: string; limit: number }[] = [];
  const stub = stubApp(
    {},
    {
      onRoute: ({ method, url, bodyLimit = 65_536, schema }) => {
        if (schema?.body === undefined) return;
        routes.push({ method: String(method), url, limit: bodyLimit });
      },
    },
  );
  await stub.app.ready();
  expect(routes.filter(({ limit }) => limit !== 65_536)).toEqual([
    { method: 'PUT', url: '/api/upstreams/:name', limit: 131_072 },
    { method: 'POST', url: '/api/client-address', limit: 131_072 },
    { method: 'PUT', url: '/api/sites/:domain', limit: 131_072 },
  ]);
  for (const { method, url, limit } of routes) {
    const response = await stub.app.inject({
      method: method as 'PUT',
      url: url.replace(/:\w+/, 'a.example'),
      headers: { ...BEARER, 'content-type': 'application/json' },
      payload: `{${' '.repeat(limit - 1)}}`,
    });
    expect([url, response.statusCode]).toEqual([url, 413]);
  }
  expect(stub.calls).toEqual([]);
});
