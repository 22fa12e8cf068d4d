import { expect, it } from 'vitest';
import type { BlockedIp, Claim } from '../../../api/types.ts';
import { changedSince, editRequests, otherReasons } from './edit-request.ts';

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
  const edit = { source: null, reason: '', replacesReasons: false };
  expect(editRequests(entries, { ...edit, end: 24 * hour }, now)).toEqual([
    { ip_address: '192.0.2.1', duration_seconds: 24 * hour },
  ]);
  expect(editRequests(entries, { ...edit, end: null }, now)).toEqual([
    { ip_address: '192.0.2.1', expires_at: null },
    { ip_address: '192.0.2.2', expires_at: null },
  ]);
});

it('gives a reason to what has none, and replaces another one only on request', () => {
  const edit = { source: null, reason: ' port scan ', end: 'keep' as const };
  expect(otherReasons(entries, edit)).toBe(1);
  expect(editRequests(entries, { ...edit, replacesReasons: false }, now)).toEqual([
    { ip_address: '192.0.2.1', reason: 'port scan', duration_seconds: 1 },
  ]);
  expect(editRequests(entries, { ...edit, replacesReasons: true }, now)).toEqual([
    { ip_address: '192.0.2.1', reason: 'port scan', duration_seconds: 1 },
    { ip_address: '192.0.2.2', reason: 'port scan', duration_seconds: 1 },
  ]);
});

const claim = (source: string, facts: Partial<Claim>): Claim => ({
  ...{ source, kind: source === 'drop' ? 'list' : 'manual', reason: null, blocked_by: 'ops', claimed_at: inHours(-1) },
  ...{ expires_at: null, ...facts },
});
/** The first one ends last: the entry shows it. */
const claimed = (ip: string, ...claims: readonly [Claim, ...Claim[]]): BlockedIp =>
  entry(ip, { reason: claims[0].reason, expires_at: claims[0].expires_at, claims: [...claims] });
const ofList = (reason: string | null): Claim => claim('drop', { reason });
const ends = { expires_at: inHours(1) };

it('leaves the end of an own claim under a permanent claim of a list', () => {
  const mine = claimed('192.0.2.4', ofList(null), claim('manual', ends));
  const edit = { source: null, reason: 'port scan', replacesReasons: false, end: 'keep' as const };
  // Of a batch, a duration never shortens a claim: this keeps its hour.
  expect(editRequests([mine], edit, now)).toEqual([
    { ip_address: '192.0.2.4', reason: 'port scan', duration_seconds: 1 },
  ]);
});

it('judges the reason of the own claim, not that of the claim that ends last', () => {
  const edit = { source: 'office', reason: 'port scan', replacesReasons: false, end: 'keep' as const };
  const written = claimed('192.0.2.4', ofList(null), claim('office', { ...ends, reason: 'court order' }));
  const empty = claimed('192.0.2.5', ofList('on the list'), claim('office', ends));
  expect([written, empty].map((one) => otherReasons([one], edit))).toEqual([1, 0]);
  expect(editRequests([written, empty], edit, now).map(({ ip_address: ip }) => ip)).toEqual(['192.0.2.5']);
});

it('extends an own claim under a permanent claim of a list', () => {
  const mine = claimed('192.0.2.4', ofList(null), claim('manual', ends));
  const edit = { source: null, reason: '', replacesReasons: false, end: 24 * hour };
  expect(editRequests([mine], edit, now)).toEqual([{ ip_address: '192.0.2.4', duration_seconds: 24 * hour }]);
  expect(editRequests([mine], { ...edit, source: 'office' }, now)).toEqual([]);
});

it('gives a new claim the reason and the end that the entry has', () => {
  const theirs = claimed('192.0.2.4', claim('drop', { ...ends, reason: 'on the list' }));
  const edit = { source: null, reason: '', replacesReasons: false, end: 24 * hour };
  expect(editRequests([theirs], edit, now)).toEqual([
    { ip_address: '192.0.2.4', reason: 'on the list', duration_seconds: 24 * hour },
  ]);
  expect(editRequests([theirs], { ...edit, reason: 'port scan', replacesReasons: true, end: 'keep' }, now)).toEqual([
    { ip_address: '192.0.2.4', reason: 'port scan', expires_at: inHours(1) },
  ]);
});

it('notices a changed own claim and a removed entry, and not what other sources change', () => {
  const before = [
    claimed('192.0.2.4', ofList(null), claim('manual', ends)),
    claimed('192.0.2.5', ofList(null), claim('manual', ends)),
    claimed('192.0.2.6', ofList(null), claim('manual', ends)),
    entry('192.0.2.7', {}),
  ];
  const after = [
    claimed('192.0.2.4', ofList('on the list'), claim('manual', ends)),
    claimed('192.0.2.5', ofList(null), claim('manual', { ...ends, reason: 'court order' })),
    claimed('192.0.2.6', ofList(null)),
  ];
  const current = new Map(after.map((one) => [one.ip_address, one]));
  expect(changedSince(before, current, null).map(({ ip_address: ip }) => ip)).toEqual([
    '192.0.2.5',
    '192.0.2.6',
    '192.0.2.7',
  ]);
});
