import { expect, it } from 'vitest';
import type { Health } from '../api/types.ts';
import { enforcement, isStale } from './enforcement.ts';

const health = (status: string, database = 'ok', current: object | null = null) =>
  ({ status, database: { status: database }, workers: { current, draining: [] } }) as unknown as Health;

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
