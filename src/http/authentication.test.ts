import { describe, expect, test } from 'vitest';
import { KEY, stubApp } from '../../testkit/http/stub-services.ts';
import { FailureLimiter } from './failure-limiter.ts';

const get = (app: ReturnType<typeof stubApp>['app'], authorization?: string, remoteAddress = '192.0.2.1') =>
  app.inject({ url: '/health', remoteAddress, headers: authorization === undefined ? {} : { authorization } });

describe('the bearer key', () => {
  test.each([
    undefined,
    'Bearer wrong',
    'Bearer',
    'Bearer ',
    KEY,
    `Basic ${KEY}`,
    `Bearer ${KEY} x`,
    `Bearer ${KEY}\u00e9`,
    `Bearer ${'k'.repeat(5000)}`,
  ])('%j gets the same 401', async (authorization) => {
    const stub = stubApp();
    const response = await get(stub.app, authorization);
    const { request_id: _id, ...body } = response.json();
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(body).toEqual({
      type: 'urn:proxy-manager:error:401',
      title: 'valid API key required',
      status: 401,
      detail: 'a valid API key is required; send the header Authorization: Bearer KEY',
      code: 401,
      kind: 'Authentication',
      op: 'authenticate request',
      errors: [],
    });
    expect(stub.calls).toEqual([]);
  });

  test.each([`Bearer ${KEY}`, `bearer ${KEY}`, `Bearer   ${KEY} `])('%j is accepted', async (authorization) => {
    expect((await get(stubApp().app, authorization)).statusCode).toBe(200);
  });

  test('is required by every route except the open ones', async () => {
    const stub = stubApp();
    await stub.app.ready();
    const routes = stub.app.printRoutes({ commonPrefix: false });
    expect(routes).toContain('livez');
    for (const [method, url] of [
      ['GET', '/api/blocked-ips'],
      ['POST', '/api/blocked-ips'],
      ['PUT', '/api/blocked-ips'],
      ['POST', '/api/blocked-ips/batch'],
      ['POST', '/api/blocked-ips/sync'],
      ['DELETE', '/api/blocked-ips/192.0.2.1'],
      ['GET', '/api/check/192.0.2.1'],
      ['GET', '/api/trusted-ips'],
      ['GET', '/api/sites'],
      ['POST', '/api/config/reload'],
      ['GET', '/api/keys'],
      ['GET', '/health'],
      ['HEAD', '/health'],
      ['OPTIONS', '/api/keys'],
    ] as const) {
      expect({ url, status: (await stub.app.inject({ method, url })).statusCode }).toEqual({ url, status: 401 });
    }
    expect(stub.calls).toEqual([]);
  });

  test('that cannot be checked is a failure of the service, not a 401', async () => {
    const { app } = stubApp({ keys: { authenticate: () => Promise.reject(new Error('database gone')) } });
    expect((await get(app, `Bearer ${KEY}`)).statusCode).toBe(500);
  });
});

describe('too many wrong keys', () => {
  test('from one address get 429 until the minute is over, and a valid key never does', async () => {
    let now = 0;
    const { app } = stubApp({}, { monotonicNow: () => now });
    for (let attempt = 0; attempt < 20; attempt += 1) expect((await get(app, 'Bearer wrong')).statusCode).toBe(401);

    now = 18_500;
    const limited = await get(app, 'Bearer wrong');
    expect(limited.statusCode).toBe(429);
    expect(limited.headers['retry-after']).toBe('42');
    expect(limited.json()).toMatchObject({ code: 6001 });

    expect((await get(app, `Bearer ${KEY}`)).statusCode).toBe(200);
    expect((await get(app)).statusCode).toBe(401);
    expect((await get(app, 'Bearer wrong', '192.0.2.2')).statusCode).toBe(401);

    now = 60_000;
    expect((await get(app, 'Bearer wrong')).statusCode).toBe(401);
  });

  test('from one IPv6 network count together', () => {
    const limiter = new FailureLimiter(() => 0, { failures: 1, windowMs: 1000, addresses: 10 });
    expect(limiter.fail('2001:db8::1')).toBeNull();
    expect(limiter.fail('2001:db8::ffff:2')).toBe(1);
    expect(limiter.fail('2001:db8:0:1::1')).toBeNull();
  });

  test('from many addresses use limited memory', () => {
    const limiter = new FailureLimiter(() => 0, { failures: 1, windowMs: 1000, addresses: 2 });
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) expect(limiter.fail(address)).toBeNull();
    expect(limiter.fail('192.0.2.3')).toBe(1);
    expect(limiter.fail('192.0.2.1')).toBeNull();
  });
});
