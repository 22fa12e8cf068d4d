import { expect, it } from 'vitest';
import type { Health } from '../api/types.ts';
import { enforcement, isStale } from './enforcement.ts';

const health = (status: string, database = 'ok', current: object | null = null) =>
  ({ status, reasons: [], database: { status: database }, workers: { current, draining: [] } }) as unknown as Health;

it.each([
  ['a fresh ok', 'ok', 2_000, true, 'good'],
  ['a stale ok', 'ok', 7_001, true, 'unknown'],
  ['a fresh ok of a service that stopped responding', 'ok', 100, false, 'unknown'],
  ['a degraded state from before the service stopped responding', 'degraded', 100, false, 'unknown'],
  ['a fresh report that HAProxy is down', 'down', 100, true, 'bad'],
] as const)('shows %s (%s, %i ms old, reachable: %s) as %s', (_, status, age, reachable, tone) => {
  expect(enforcement(health(status), age, reachable).tone).toBe(tone);
});

it('is not stale before the first answer', () => {
  expect(isStale(null, false)).toBe(false);
  expect(isStale(0, false)).toBe(true);
});

it.each([
  ['only the database is down', 'down', { pid: 7 }, 'Database down: nothing can be changed'],
  ['no worker is running', 'ok', null, 'HAProxy is down'],
  ['both are down', 'down', null, 'Database down, and no HAProxy worker found'],
])('names what is down when %s', (_, database, current, words) => {
  expect(enforcement(health('down', database, current), 100, true)).toEqual({ tone: 'bad', words });
});

it('says in how many front ends of an attached HAProxy addresses are not blocked', () => {
  const ends = [
    { name: 'shop', has_rule: true, open: false },
    { name: 'mail', has_rule: false, open: false },
    { name: 'statistics', has_rule: false, open: true },
  ];
  const seen = (reasons: readonly string[]) =>
    enforcement({ ...health('degraded'), reasons, attached: { front_ends: ends } } as unknown as Health, 100, true);
  const reason = 'front end mail (/h.cfg:9) has no rule for the blocked map, so blocked addresses are served there';
  expect(seen([reason])).toEqual({ tone: 'bad', words: 'Not blocked in 1 of 2 front ends' });
  expect(seen(['configuration: its front ends cannot be checked']).tone).toBe('warn');
});
