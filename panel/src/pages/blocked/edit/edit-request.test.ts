import { expect, it } from 'vitest';
import type { BlockedIp } from '../../../api/types.ts';
import { editRequests, otherReasons } from './edit-request.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const hour = 3_600;
const inHours = (hours: number): string => new Date(now + hours * hour * 1_000).toISOString();
const entry = (ip: string, facts: Partial<BlockedIp>): BlockedIp => ({
  ip_address: ip,
  reason: null,
  blocked_by: 'ops',
  blocked_at: inHours(-1),
  expires_at: null,
  ...facts,
});
const entries = [
  entry('192.0.2.1', { expires_at: inHours(1) }),
  entry('192.0.2.2', { reason: 'court order', expires_at: inHours(48) }),
  entry('192.0.2.3', { reason: 'port scan' }),
];

it('extends what would end sooner, and nothing else', () => {
  const edit = { reason: '', replacesReasons: false };
  expect(editRequests(entries, { ...edit, end: 24 * hour }, now)).toEqual([
    { ip_address: '192.0.2.1', duration_seconds: 24 * hour },
  ]);
  expect(editRequests(entries, { ...edit, end: null }, now)).toEqual([
    { ip_address: '192.0.2.1', expires_at: null },
    { ip_address: '192.0.2.2', expires_at: null },
  ]);
});

it('gives a reason to what has none, and replaces another one only on request', () => {
  const edit = { reason: ' port scan ', end: 'keep' as const };
  expect(otherReasons(entries, edit.reason)).toBe(1);
  expect(editRequests(entries, { ...edit, replacesReasons: false }, now)).toEqual([
    { ip_address: '192.0.2.1', reason: 'port scan', expires_at: inHours(1) },
  ]);
  expect(editRequests(entries, { ...edit, replacesReasons: true }, now)).toEqual([
    { ip_address: '192.0.2.1', reason: 'port scan', expires_at: inHours(1) },
    { ip_address: '192.0.2.2', reason: 'port scan', expires_at: inHours(48) },
  ]);
});
