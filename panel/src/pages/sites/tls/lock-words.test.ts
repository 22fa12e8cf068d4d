import { expect, it } from 'vitest';
import type { Certificate } from '../../../api/types.ts';
import { lockWords } from './lock-words.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const inDays = (days: number): string => new Date(now + days * 86_400_000).toISOString();
const served = (days: number, changes: object = {}) =>
  ({
    ...{ state: 'active', served_until: inDays(days), not_after: inDays(days), runtime_updated: true },
    ...{ handshake: 'seen', handshake_reason: null, problem: null },
    ...changes,
  }) as unknown as Certificate;

it.each([
  [served(80), 'good', 'Certificate served, expires in 80\u00a0days'],
  [served(9), 'warn', 'Certificate served, expires in 9\u00a0days'],
  [served(9, { served_until: inDays(3) }), 'bad', 'Certificate: an earlier version is served'],
  [served(-1, { state: 'expired' }), 'bad', 'Certificate: expired'],
  [null, 'warn', 'No certificate of its own'],
] as const)('shows a certificate beside the lock (%#)', (certificate, tone, words) => {
  expect(lockWords(certificate, now)).toEqual({ tone, words });
});
