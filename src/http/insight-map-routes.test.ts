import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';

const map = {
  ...{ layer: 'density', network: '0.0.0.0/0', cell_prefix: 18, sources: [], blocks: [], sizes: [], widest: [] },
  cells: Buffer.alloc(3_000, 7).toString('base64'),
};
const { app } = stubApp({ entryMap: { read: async () => map } });
const get = (query: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url: `/api/insight/map${query}`, headers: { ...BEARER, ...headers } });

it('compresses a map for a client that accepts it, with the same tag', async () => {
  const plain = await get('?layer=density');
  expect(plain.statusCode).toBe(200);
  expect(plain.headers['content-encoding']).toBeUndefined();
  const packed = await get('?layer=density', { 'accept-encoding': 'br, gzip;q=0.5' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(packed.rawPayload).toString())).toEqual(plain.json());
  expect(packed.headers['etag']).toBe(plain.headers['etag']);
  const refused = await get('?layer=density', { 'accept-encoding': 'gzip;q=0' });
  expect(refused.headers['content-encoding']).toBeUndefined();
});

it('answers 304 without a body if the map is the same', async () => {
  const { headers } = await get('?layer=density');
  const same = await get('?layer=density', { 'if-none-match': `"other", ${headers['etag']}` });
  expect([same.statusCode, same.body]).toEqual([304, '']);
  expect((await get('?layer=density', { 'if-none-match': '"other"' })).statusCode).toBe(200);
});

it.each([
  ['?layer=heat', 'layer', 100],
  ['?layer=density&network=45.0.0.0/7', 'network', 101],
])('rejects %s', async (query, name, code) => {
  const { statusCode, ...answer } = await get(query);
  expect([statusCode, answer.json().code, answer.json().errors[0].name]).toEqual([400, code, name]);
});
