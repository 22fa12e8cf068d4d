import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { BEARER, type Overrides, stubApp } from '../../testkit/http/stub-services.ts';

const accepts = { 'accept-encoding': 'br, gzip;q=0.5' };
const served = (overrides: Overrides = {}) => {
  const { app } = stubApp(overrides);
  return (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    app.inject({ method, url, headers: { ...BEARER, ...headers } });
};

const source = (name: string) => ({
  ...{ name, kind: 'list', note: null, release_at: null, created_at: '2026-11-20T12:00:00.000Z' },
  ...{ claims: 1, alone: 1, last_claimed_at: null },
});

it('compresses what is large, for a client that accepts it, with the same tag', async () => {
  const ask = served({ sources: { list: async () => Array.from({ length: 50 }, (_, at) => source(`list-${at}`)) } });
  const large = await ask('/api/sources');
  expect(large.headers['content-encoding']).toBeUndefined();
  expect(large.headers['vary']).toBe('Accept-Encoding');
  const packed = await ask('/api/sources', accepts);
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(Number(packed.headers['content-length'])).toBe(packed.rawPayload.length);
  expect(packed.rawPayload.length).toBeLessThan(large.rawPayload.length / 4);
  expect(JSON.parse(gunzipSync(packed.rawPayload).toString())).toEqual(large.json());
  expect(packed.headers['etag']).toBe(large.headers['etag']);
  expect((await ask('/api/sources', { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined();
  const head = await ask('/api/sources', accepts, 'HEAD');
  for (const name of ['etag', 'vary', 'content-encoding', 'content-length'])
    expect([name, head.headers[name]]).toEqual([name, packed.headers[name]]);
  // A short one would not become smaller.
  expect((await ask('/api/views', accepts)).headers['content-encoding']).toBeUndefined();
});

it('answers 304 without a body only while the response would be the same', async () => {
  let items = [source('drop')];
  const ask = served({ sources: { list: async () => items } });
  const first = await ask('/api/sources');
  const named = { 'if-none-match': `"other", ${String(first.headers['etag'])}` };
  const same = await ask('/api/sources', named);
  expect([same.statusCode, same.payload, same.headers['content-type']]).toEqual([304, '', undefined]);
  expect(same.headers).toMatchObject({ etag: first.headers['etag'], 'x-request-id': expect.any(String) });
  expect((await ask('/api/sources', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  items = [...items, source('scanners')];
  const changed = await ask('/api/sources', named);
  expect([changed.statusCode, changed.json().items.length]).toEqual([200, 2]);
});

it('tags no error, no response to a change, no text, and nothing without a key', async () => {
  const ask = served();
  for (const response of [
    await ask('/api/blocked-ips/nonsense'),
    await ask('/api/session', {}, 'POST'),
    await ask('/livez'),
    await ask('/openapi.json', accepts),
    await ask('/api/blocked-ips', { accept: 'text/plain' }),
  ])
    expect(response.headers['etag']).toBeUndefined();
});

it('says that a list depends on both headers', async () => {
  const { headers } = await served()('/api/blocked-ips');
  expect(headers['vary']).toBe('Accept, Accept-Encoding');
});
