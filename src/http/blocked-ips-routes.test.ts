import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';

describe('the list as text', () => {
  const text = { ...BEARER, accept: 'text/plain' };

  test('is the complete set, one address per line', async () => {
    const { app } = stubApp();
    const response = await app.inject({ url: '/api/blocked-ips', headers: text });
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(response.body).toBe('192.0.2.1\n192.0.2.2\n2001:db8::/32\n');
  });

  test('is empty for an empty set', async () => {
    const { app } = stubApp({ blockedSet: { listTexts: () => Readable.from([]) } });
    const response = await app.inject({ url: '/api/blocked-ips', headers: text });
    expect({ status: response.statusCode, body: response.body }).toEqual({ status: 200, body: '' });
  });

  test('is an error if it cannot be read, not a partial list', async () => {
    const listTexts = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('disk gone')) }),
    });
    const { app, logged } = stubApp({ blockedSet: { listTexts } });
    const response = await app.inject({ url: '/api/blocked-ips', headers: text });
    expect(response.statusCode).toBe(500);
    expect(response.json().detail).not.toContain('disk gone');
    expect(logged).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ cause: 'disk gone', code: 500 }) }),
    );
  });

  test.each(['limit=5', 'text=scan', 'offset=0'])('cannot be paged or searched: %s', async (query) => {
    const stub = stubApp();
    const response = await stub.app.inject({ url: `/api/blocked-ips?${query}`, headers: text });
    expect(response.statusCode).toBe(400);
    expect(response.json().errors[0].name).toBe(query.split('=')[0]);
    expect(stub.calls).toEqual([]);
  });

  test.each([
    ['*/*', 'application/json'],
    ['application/json, text/plain', 'application/json'],
    ['text/plain;q=0.4, application/json;q=0.5', 'application/json'],
    ['text/plain, application/json;q=0.5', 'text/plain'],
    ['text/plain;q=1.1, application/json;q=0.5', 'application/json'],
  ])('is returned for Accept: %s only if it is preferred', async (accept, type) => {
    const { app } = stubApp();
    const response = await app.inject({ url: '/api/blocked-ips', headers: { ...BEARER, accept } });
    expect(response.headers['content-type']).toContain(type);
  });
});
