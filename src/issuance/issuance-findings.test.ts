import { expect, it } from 'vitest';
import type { UnrenewedCertificate } from '../store/acme-facts-store.ts';
import type { IssuanceProblem } from '../store/issuance-problem.ts';
import { type FindingFacts, issuanceFindings } from './issuance-findings.ts';

const DAY = 86_400_000;
const now = new Date('2026-11-20T12:00:00.000Z');
const inDays = (days: number) => new Date(now.getTime() + days * DAY);
const problem: IssuanceProblem = {
  class: 'needs attention',
  type: 'caa',
  detail: 'CAA record for shop.example prevents issuance',
  subproblems: [],
  advice: 'Add the authority to the record.',
  at: now.toISOString(),
};

/** Of 90 days. */
function certificate(left: number | null, changes: Partial<UnrenewedCertificate> = {}): UnrenewedCertificate {
  const life = left === null ? null : { notBefore: inDays(left - 90), notAfter: inDays(left) };
  return { id: 'c-a', names: ['shop.example'], dueAt: inDays(1), problem, life, ...changes };
}

function found(unrenewed: readonly UnrenewedCertificate[], changes: Partial<FindingFacts> = {}) {
  const due = unrenewed.filter(({ dueAt }) => dueAt <= now).length;
  const totals = { total: 3, byClass: new Map(), due, waitingSince: null };
  return issuanceFindings({ unrenewed, totals, pauses: [], obstacle: null, clockOffsetMs: 2_000, ...changes }, now);
}

it('a failure is a notice with the words of the authority, the advice, and the next order', () => {
  expect(found([certificate(null)])).toEqual({
    problems: [],
    notices: [
      'certificate c-a of shop.example is not issued: needs attention: CAA record for shop.example prevents issuance. Add the authority to the record. (the next order is due at 2026-11-21T12:00:00.000Z)',
    ],
  });
  expect(found([certificate(40, { dueAt: inDays(2) })]).notices[0]).toMatch(
    /^certificate c-a of shop\.example is not renewed: .*\(the next order is due at 2026-11-22T/,
  );
});

it.each([
  { left: 14.9, problems: 1 },
  { left: 15.1, problems: 0 },
  { left: -1, problems: 1 },
])('a failure is a problem with less than a sixth of the lifetime left: $left days', ({ left, problems }) => {
  const { problems: some, notices } = found([certificate(left)]);
  expect([some.length, notices.length]).toEqual([problems, 1 - problems]);
});

it('one that is due that late is a problem without a failure, and not before it is due', () => {
  const [text] = found([certificate(10, { problem: null, dueAt: inDays(-1) })]).problems;
  expect(text).toMatch(
    /^c-a of shop\.example expires at .* and is not renewed: an order has been due since 2026-11-19T/,
  );
  expect(found([certificate(10, { problem: null, dueAt: inDays(1) })]).problems).toEqual([]);
});

it('without orders, due certificates are a problem, and others a notice', () => {
  const obstacle = 'the service orders no certificates: set X';
  expect(found([certificate(40, { problem: null, dueAt: inDays(-1) })], { obstacle })).toEqual({
    problems: [`due, and not ordered: 1; ${obstacle}`],
    notices: [],
  });
  expect(found([], { obstacle })).toEqual({
    problems: [],
    notices: [`certificates that are not renewed: 3; ${obstacle}`],
  });
  const none = { total: 0, byClass: new Map(), due: 0, waitingSince: null };
  expect(found([], { obstacle, totals: none })).toEqual({ problems: [], notices: [] });
});

it('names five certificates and three names of each, and counts the rest', () => {
  const names = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'];
  const { notices } = found(Array.from({ length: 7 }, () => certificate(null, { names })));
  expect(notices).toHaveLength(6);
  expect(notices[0]).toContain('of a.example, b.example, c.example and 2 more is not issued');
  expect(notices.at(-1)).toBe('2 more certificates are not issued or renewed');
});

it('names a pause in force, and a clock that is wrong by more than five minutes with both times', () => {
  const limited = { ...problem, class: 'limited' as const, detail: 'too many new orders' };
  const pause = { directory: 'https://ca.example/dir', scope: 'orders' as const, failures: 0, problem: limited };
  const { notices } = found([], {
    pauses: [
      { ...pause, until: inDays(1) },
      { ...pause, until: inDays(-1) },
    ],
  });
  expect(notices).toEqual([
    'the authority https://ca.example/dir gets no new orders before 2026-11-21T12:00:00.000Z: too many new orders',
  ]);
  expect(found([], { clockOffsetMs: 300_000 }).problems).toEqual([]);
  expect(found([], { clockOffsetMs: -600_000 }).problems).toEqual([
    'the clock of this machine (2026-11-20T12:00:00.000Z) is 10 min behind the clock of the authority (2026-11-20T12:10:00.000Z): correct it',
  ]);
});
