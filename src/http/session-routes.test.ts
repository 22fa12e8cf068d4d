import { describe, expect, test } from 'vitest';
import { BEARER, NOW, SESSION_TOKEN, stubApp } from '../../testkit/http/stub-services.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const ENDED = `pms_${'z'.repeat(43)}`;
const from = '203.0.113.9';

describe('sign-in', () => {
  test('returns a token for a key, with its scopes', async () => {
    const stub = stubApp();
    const response = await stub.app.inject({
      method: 'POST',
      url: '/api/session',
      headers: BEARER,
      remoteAddress: from,
    });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toEqual({
      name: 'ops',
      scopes: ['admin'],
      source: null,
      expires_at: null,
      client_address: from,
      trustable_address: from,
      session_ends_at: NOW.toISOString(),
      token: SESSION_TOKEN,
    });
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  test('is rejected with the token of a session, and starts none', async () => {
    const stub = stubApp();
    const headers = bearer(SESSION_TOKEN);
    expect((await stub.app.inject({ method: 'POST', url: '/api/session', headers })).statusCode).toBe(403);
    expect(stub.calls).toEqual([]);
  });
});

describe('a session token', () => {
  test('is accepted like its key', async () => {
    const stub = stubApp();
    expect((await stub.app.inject({ url: '/api/keys', headers: bearer(SESSION_TOKEN) })).statusCode).toBe(200);
    const mine = await stub.app.inject({ url: '/api/session', headers: bearer(SESSION_TOKEN) });
    expect(mine.json()).toMatchObject({ name: 'ops', session_ends_at: NOW.toISOString() });
    const withKey = await stub.app.inject({ url: '/api/session', headers: BEARER });
    expect(withKey.json()).toMatchObject({ name: 'ops', session_ends_at: null });
  });

  test('that has ended is always 401, and does not count as a wrong key', async () => {
    const { app } = stubApp();
    const status = async (token: string) =>
      (await app.inject({ url: '/health', headers: bearer(token), remoteAddress: from })).statusCode;
    for (let count = 0; count < 30; count += 1) expect(await status(ENDED)).toBe(401);
    expect(await status('mistyped')).toBe(401);
  });

  test('ends at sign-out; a key does not', async () => {
    const stub = stubApp();
    const end = (headers: Record<string, string>) =>
      stub.app.inject({ method: 'DELETE', url: '/api/session', headers });
    expect((await end(BEARER)).statusCode).toBe(404);
    expect(stub.calls).toEqual([]);
    expect((await end(bearer(SESSION_TOKEN))).json()).toEqual({ name: 'ops' });
    expect(stub.onlyCall()[0]).toBe(SESSION_TOKEN);
  });
});
