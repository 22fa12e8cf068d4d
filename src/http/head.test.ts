import { describe, expect, test } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';

describe('HEAD', () => {
  test('is answered like GET, without the body', async () => {
    const { app } = stubApp();
    const get = await app.inject({ method: 'GET', url: '/api/config', headers: BEARER });
    const head = await app.inject({ method: 'HEAD', url: '/api/config', headers: BEARER });
    expect({ status: head.statusCode, body: head.body }).toEqual({ status: 200, body: '' });
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  test('of the text list reads nothing from the database', async () => {
    const stub = stubApp();
    const response = await stub.app.inject({
      method: 'HEAD',
      url: '/api/blocked-ips',
      headers: { ...BEARER, accept: 'text/plain' },
    });
    expect(response.statusCode).toBe(200);
    expect(stub.calls).toEqual([]);
  });
});
