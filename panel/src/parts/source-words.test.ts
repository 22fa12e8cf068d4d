import { expect, it } from 'vitest';
import type { BlockedIp, Claim } from '../api/types.ts';
import { claimsOf, sourceNames, unblockEffect } from './source-words.ts';

const claim = (source: string, kind: Claim['kind'] = 'agent'): Claim => ({
  source,
  kind,
  reason: null,
  blocked_by: null,
  claimed_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
});
const all = [claim('drop', 'list'), claim('manual', 'manual'), claim('fail2ban'), claim('fail2ban:sshd')];
const names = (claims: readonly Claim[]) => claims.map(({ source }) => source);

it('names each source once', () => {
  expect(sourceNames([claim('b'), claim('a'), claim('b')])).toBe('b, a');
});

it('takes an entry without claims as one of operators', () => {
  const entry: BlockedIp = {
    ip_address: '192.0.2.1',
    reason: 'r',
    blocked_by: 'ann',
    blocked_at: 't',
    expires_at: null,
  };
  expect(claimsOf(entry)).toMatchObject([{ source: 'manual', kind: 'manual', reason: 'r', blocked_by: 'ann' }]);
});

it.each([
  [null, ['manual', 'fail2ban', 'fail2ban:sshd'], ['drop']],
  ['manual', ['manual', 'fail2ban', 'fail2ban:sshd'], ['drop']],
  ['fail2ban', ['fail2ban'], ['drop', 'manual', 'fail2ban:sshd']],
  ['drop', ['drop'], ['manual', 'fail2ban', 'fail2ban:sshd']],
])('shows what a key bound to %j drops', (boundTo, dropped, kept) => {
  const effect = unblockEffect(all, boundTo);
  expect([names(effect.dropped), names(effect.kept)]).toEqual([dropped, kept]);
});
