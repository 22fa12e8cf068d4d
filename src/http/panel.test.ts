import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';
import { encodingFor, PanelAsset } from './panel-asset.ts';
import { panelPages } from './panel-pages.ts';
import { NONCE_PLACEHOLDER } from './panel-routes.ts';

const script = Buffer.from(`console.log(${JSON.stringify('a'.repeat(1_000))})`);
const panel = {
  page: `<!doctype html><meta property="csp-nonce" nonce="${NONCE_PLACEHOLDER}"><script nonce="${NONCE_PLACEHOLDER}"></script>`,
  problem: null,
  assets: new Map([['index-abc.js', new PanelAsset('index-abc.js', script)]]),
};
const served = (files: object = panel) => stubApp({}, {}, files as typeof panel).app;

describe('the panel', () => {
  const whole = served();
  test('is the same page at each of its URLs, without a key', async () => {
    const app = whole;
    for (const url of panelPages) {
      const { statusCode, headers, payload } = await app.inject({ url });
      expect({ url, statusCode, type: headers['content-type'] }).toEqual({
        url,
        statusCode: 200,
        type: 'text/html; charset=utf-8',
      });
      expect(payload).toContain('csp-nonce');
    }
  });

  test('allows only its own scripts, and has a new nonce in each response', async () => {
    const app = whole;
    const nonces = new Set<string>();
    for (let times = 0; times < 3; times += 1) {
      const { headers, payload } = await app.inject({ url: '/blocked?q=192.0.2.1' });
      const nonce = /nonce="([^"]+)"/.exec(payload)?.[1] ?? '';
      expect(payload).not.toContain(NONCE_PLACEHOLDER);
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
          "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      );
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
    for (const nonce of nonces) expect(nonce).toMatch(/^[A-Za-z0-9+/]{22}==$/);
  });

  test('returns its page to a browser for an unknown URL, and a problem document to programs', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    for (const url of ['/nothing-here', '/blocked/', '/sites/x', '/Blocked']) {
      const { statusCode, headers, payload } = await whole.inject({ url, headers: browser });
      expect({ url, statusCode, type: headers['content-type'] }).toEqual({
        url,
        statusCode: 404,
        type: 'text/html; charset=utf-8',
      });
      expect(payload).not.toContain(NONCE_PLACEHOLDER);
      expect(headers['content-security-policy']).toMatch(/nonce-/);
    }
    const program = await whole.inject({ url: '/nothing-here', headers: { accept: '*/*' } });
    expect([program.statusCode, program.headers['content-type']]).toEqual([401, 'application/problem+json']);
    const noPage = await whole.inject({ url: '/nothing-here', headers: { accept: 'text/html;q=0, */*' } });
    expect([noPage.statusCode, noPage.headers['content-type']]).toEqual([401, 'application/problem+json']);
    const known = await whole.inject({ url: '/nothing-here', headers: { ...browser, ...BEARER } });
    expect([known.statusCode, known.headers['content-type']]).toEqual([404, 'application/problem+json']);
    expect((await whole.inject({ url: '/api/nothing', headers: browser })).statusCode).toBe(401);
    expect((await whole.inject({ method: 'POST', url: '/nothing-here', headers: browser })).statusCode).toBe(401);
  });

  test('ignores the query of its URL', async () => {
    const app = whole;
    const plain = (text: string) => text.replaceAll(/nonce="[^"]*"/g, '');
    const hostile = await app.inject({ url: '/?q=%3Cscript%3E&q=1&__proto__[x]=1&__CSP_NONCE__', headers: BEARER });
    expect(hostile.statusCode).toBe(200);
    expect(plain(hostile.payload)).toBe(plain((await app.inject({ url: '/' })).payload));
  });

  test('sends its files in an accepted encoding, cacheable for ever', async () => {
    const app = whole;
    const get = (headers: Record<string, string>) => app.inject({ url: '/assets/index-abc.js', headers });
    const brotli = await get({ 'accept-encoding': 'gzip, deflate, br' });
    expect(brotli.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect(brotliDecompressSync(brotli.rawPayload)).toEqual(script);
    const gzip = await get({ 'accept-encoding': 'gzip' });
    expect(gunzipSync(gzip.rawPayload)).toEqual(script);
    const plain = await get({});
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.rawPayload).toEqual(script);
    const again = await get({ 'if-none-match': String(plain.headers['etag']) });
    expect([again.statusCode, again.payload]).toEqual([304, '']);
  });

  test.each([
    '/assets/nothing.js',
    '/assets/..%2f..%2fpackage.json',
    '/assets/../../package.json',
    '/assets/%2e%2e/index.html',
    '/assets/__proto__',
    '/assets/index-abc.js%00',
    '/assets/',
  ])('has no file %s', async (url) => {
    const { statusCode, headers } = await whole.inject({ url, headers: BEARER });
    expect(statusCode).toBe(404);
    expect(headers['content-type']).toMatch(/problem\+json/);
  });

  test('returns an error if it could not be read, while the API works', async () => {
    const app = served({ page: null, problem: 'its files cannot be read', assets: new Map() });
    const { statusCode, payload } = await app.inject({ url: '/' });
    expect(statusCode).toBe(404);
    expect(JSON.parse(payload).detail).toContain('its files cannot be read');
    expect((await app.inject({ url: '/health', headers: BEARER })).statusCode).toBe(200);
  });
});

test.each([
  ['br', 'br'],
  ['gzip, br;q=0', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['identity', null],
  ['br;q=0, gzip;q=0.0', null],
  ['br;q=0.000, gzip;q=0.001', 'gzip'],
  ['br;level=1, gzip ; q=1.000', 'gzip'],
  ['', null],
])('Accept-Encoding: %s selects %s', (accepted, form) => {
  expect(encodingFor(accepted)).toBe(form);
});

test.each(['2', '1.001', '0.1234', '.5', '-1', 'x', '', '"1"', '1;q=1'])(
  'an encoding with the invalid weight q=%s is not selected',
  (q) => expect(encodingFor(`br;q=${q}, gzip`)).toBe('gzip'),
);

test('a session response has the name, the scopes and the expiry of the key, and the address of the client', async () => {
  const { app } = stubApp({
    keys: {
      list: async () => [{ name: 'ops', scopes: ['read'], expires_at: '2030-01-01T00:00:00.000Z', revoked_at: null }],
    },
  });
  const { payload } = await app.inject({ url: '/api/session', headers: BEARER });
  expect(JSON.parse(payload)).toEqual({
    name: 'ops',
    scopes: ['admin'],
    source: null,
    expires_at: '2030-01-01T00:00:00.000Z',
    client_address: '127.0.0.1',
    trustable_address: null,
    session_ends_at: null,
  });
});
