import { expect, it } from 'vitest';
import type { Health } from '../api/types.ts';
import { enforcement, isStale } from './enforcement.ts';

const health = (status: string) => ({ status }) as Health;

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
