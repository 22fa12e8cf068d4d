import { describe, expect, test } from 'vitest';
import { BEARER, HEALTH, stubApp } from '../../testkit/http/stub-services.ts';

describe('health', () => {
  test.each(['degraded', 'down'])('is 503 when %s, with its parts', async (status) => {
    const { app } = stubApp({ health: { health: async () => ({ ...HEALTH, status }) } });
    const response = await app.inject({ url: '/health', headers: BEARER });
    expect(response.statusCode).toBe(503);
    expect(response.json()).toEqual({ ...HEALTH, status });
  });

  test('is logged unless it is ok', async () => {
    for (const status of ['ok', 'degraded']) {
      const { app, logged } = stubApp({ health: { health: async () => ({ ...HEALTH, status }) } });
      await app.inject({ url: '/health', headers: BEARER });
      const line = { message: 'Request answered', fields: { path: '/health', status: 503 } };
      expect({ status, logged }).toMatchObject({ status, logged: status === 'ok' ? [] : [line] });
    }
  });

  test('hides messages of template and proxy from keys below admin', async () => {
    const healthFor = async (scopes: readonly string[]) => {
      const { app } = stubApp({ keys: { authenticate: async () => ({ name: 'ops', scopes }) } });
      return (await app.inject({ url: '/health', headers: BEARER })).json();
    };
    for (const scopes of [['read'], ['block']]) {
      const seen = await healthFor(scopes);
      expect(seen.last_reload).toEqual({ ...HEALTH.last_reload, error: null });
      expect(seen.last_reload.error_code).toBe(5001);
      expect(JSON.stringify(seen)).not.toContain('line 3');
    }
    expect(await healthFor(['admin'])).toEqual(HEALTH);
  });

  test.each([
    ['/livez', 200, 'alive', async () => false],
    ['/readyz', 200, 'ready', async () => true],
    ['/readyz', 503, 'unready', async () => false],
    ['/readyz', 503, 'unready', () => Promise.reject(new Error('database gone'))],
  ])('%s is %i %s without a key', async (url, status, body, ready) => {
    const { app } = stubApp({ health: { ready } });
    const response = await app.inject({ url });
    expect({ status: response.statusCode, body: response.body }).toEqual({ status, body });
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
  });
});
