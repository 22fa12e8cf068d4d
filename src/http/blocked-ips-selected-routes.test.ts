import { expect, it } from 'vitest';
import { BEARER, stubApp } from '../../testkit/http/stub-services.ts';

const key = (scopes: readonly string[], source?: string) => ({
  keys: { authenticate: async () => ({ name: 'fail2ban', scopes, expires_at: null, ...(source && { source }) }) },
});
const remove = async (query: string, services: object = {}) => {
  const { app, calls } = stubApp(services as never);
  const response = await app.inject({ method: 'DELETE', url: `/api/blocked-ips${query}`, headers: BEARER });
  return { status: response.statusCode, body: response.json(), calls };
};

it('passes the filters on', async () => {
  const { status, calls } = await remove(
    '?source=fail2ban:sshd&reason=port%20scan&blocked_by=ann&expect=3&family=ipv4&blocked_since=2026-11-20T10:00:00Z',
  );
  expect(status).toBe(200);
  const entries = { family: 4, blockedSince: new Date('2026-11-20T10:00:00Z') };
  const wanted = { source: 'fail2ban:sshd', reason: 'port scan', blockedBy: 'ann', entries, expect: 3, dryRun: false };
  expect(calls.find(({ method }) => method === 'bulkUnblock.unblock')?.args[0]).toEqual(wanted);
});

it.each([
  ['', 'source'],
  ['?expect=3', 'source'],
  ['?dry_run=true', 'source'],
  ['?source=a', 'expect'],
  ['?reason=x&dry_run=false', 'expect'],
  ['?source=a&expect=-1', 'expect'],
  ['?reason=&expect=1', 'reason'],
  ['?wider_than=33&expect=1', 'wider_than'],
  ['?family=ipv5&expect=1', 'family'],
  ['?blocked_since=yesterday&expect=1', 'blocked_since'],
  ['?not_hit_for=23h&expect=1', 'not_hit_for'],
  ['?not_hit_for=401d&expect=1', 'not_hit_for'],
])('rejects DELETE /api/blocked-ips%s', async (query, name) => {
  const { status, body, calls } = await remove(query);
  expect([status, body.errors[0].name]).toEqual([400, name]);
  expect(calls.some(({ method }) => method === 'bulkUnblock.unblock')).toBe(false);
});

it('needs the scope admin, or a key that is bound to a source', async () => {
  expect((await remove('?source=a&expect=1', key(['block']))).status).toBe(403);
  expect((await remove('?source=a&expect=1', key(['block'], 'manual'))).status).toBe(403);
  expect((await remove('?source=a&expect=1', key(['block'], 'a'))).status).toBe(200);
  expect((await remove('?source=a&dry_run=true', key(['admin']))).status).toBe(200);
});
