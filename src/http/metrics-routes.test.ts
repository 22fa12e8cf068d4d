import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';
import { stopTime } from '../../testkit/stop-time.ts';

const url = '/metrics';
const forms = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

describe('the form of the metrics', () => {
  const { app } = stubApp();
  test.each([
    [undefined, 'prometheus'],
    ['*/*', 'prometheus'],
    ['text/plain', 'prometheus'],
    ['application/openmetrics-text', 'openmetrics'],
    ['application/openmetrics-text;q=0.1, text/plain', 'prometheus'],
    ['application/openmetrics-text;q=2, text/plain;q=0.1', 'prometheus'],
    // The header of Prometheus 2.42.
    [
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      'openmetrics',
    ],
  ] as const)('for Accept: %s is %s', async (accept, form) => {
    const headers = { ...BEARER, ...(accept === undefined ? {} : { accept }) };
    const answer = await app.inject({ url, headers });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe(forms[form]);
    expect(answer.body).toBe(`# ${form}\n`);
    expect(answer.headers).not.toHaveProperty('content-encoding');
  });

  test('is compressed if the client accepts it', async () => {
    const answer = await app.inject({ url, headers: { ...BEARER, 'accept-encoding': 'br, gzip;q=0.5' } });
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept, Accept-Encoding' });
    expect(gunzipSync(answer.rawPayload).toString()).toBe('# prometheus\n');
  });

  test.each(['identity', 'gzip;q=0', 'gzip;q=2', ' , ;;=,gzipp', '*'])(
    'is not compressed for Accept-Encoding: %s',
    async (accepted) => {
      const answer = await app.inject({ url, headers: { ...BEARER, 'accept-encoding': accepted } });
      expect(answer.body).toBe('# prometheus\n');
    },
  );
});

describe('the setting that opens the metrics', () => {
  test('allows scrapes without a key, which are rejected by default', async () => {
    expect((await stubApp().app.inject({ url })).statusCode).toBe(401);
    const { app } = stubApp({}, { metricsOpen: true });
    expect((await app.inject({ url })).statusCode).toBe(200);
    expect((await app.inject({ url, method: 'HEAD' })).statusCode).toBe(200);
    expect((await app.inject({ url, headers: { authorization: 'Bearer wrong' } })).statusCode).toBe(200);
  });

  test('opens no other route', async () => {
    const { app } = stubApp({}, { metricsOpen: true });
    for (const other of ['/health', '/api/blocked-ips', '/api/keys', '/metrics/', '/metrics/x'])
      expect({ other, status: (await app.inject({ url: other })).statusCode }).toEqual({ other, status: 401 });
  });
});

test('rejects more than a few simultaneous scrapes, until others have ended', async () => {
  const waiting: (() => void)[] = [];
  const scrape = () => new Promise<string>((resolve) => waiting.push(() => resolve('')));
  const { app } = stubApp({ metrics: { scrape, answered: () => undefined } });
  const first = Array.from({ length: 16 }, () => app.inject({ url, headers: BEARER }));
  await expect.poll(() => waiting.length).toBe(16);
  const refused = await app.inject({ url, headers: BEARER });
  expect(refused.statusCode).toBe(503);
  expect(refused.headers['retry-after']).toBe('1');
  for (const end of waiting) end();
  for (const answer of await Promise.all(first)) expect(answer.statusCode).toBe(200);
  const again = app.inject({ url, headers: BEARER });
  await expect.poll(() => waiting.length).toBe(17);
  waiting[16]!();
  expect((await again).statusCode).toBe(200);
});

test('logs a rejected scrape, and not a successful one', async () => {
  const { app, logged } = stubApp();
  await app.inject({ url, headers: BEARER });
  expect(logged).toEqual([]);
  await app.inject({ url });
  expect(logged).toMatchObject([{ message: 'Request answered', fields: { path: url, status: 401 } }]);
});

describe('every response is counted', () => {
  test.each([
    ['GET', '/livez', 200, '/livez'],
    ['GET', '/api/sites/a.example', 200, '/api/sites/:domain'],
    ['POST', '/api/blocked-ips', 400, '/api/blocked-ips'],
    ['GET', '/nothing/there', 404, null],
  ] as const)('%s %s', async (method, path, status, route) => {
    using _time = stopTime();
    const counted: unknown[][] = [];
    const { app } = stubApp({ metrics: { answered: (...answer: unknown[]) => void counted.push(answer) } });
    expect((await app.inject({ method, url: path, headers: BEARER })).statusCode).toBe(status);
    expect(counted).toEqual([[method, route, status, 0]]);
  });

  test('even if the request was rejected before it was read', async () => {
    using _time = stopTime();
    const counted: unknown[][] = [];
    const { app } = stubApp({ metrics: { answered: (...answer: unknown[]) => void counted.push(answer) } });
    expect((await app.inject({ url: '/api/keys' })).statusCode).toBe(401);
    expect((await app.inject({ url: '/%zz', headers: BEARER })).statusCode).toBe(400);
    expect(counted[0]).toEqual(['GET', '/api/keys', 401, 0]);
    for (const [, , , milliseconds] of counted) expect(milliseconds).toBe(0);
  });
});
