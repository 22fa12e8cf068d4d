import { expect, it } from 'vitest';
import type { Health } from '../api/types.ts';
import { enforcement, isStale } from './enforcement.ts';

const health = (status: string) => ({ status }) as Health;

it.each([
  ['a fresh answer that says ok', 'ok', 2_000, true, 'good'],
  ['an old answer', 'ok', 7_001, true, 'unknown'],
  ['a fresh answer of a service that answers no more', 'ok', 100, false, 'unknown'],
  ['trouble before the service was gone', 'degraded', 100, false, 'unknown'],
  ['a fresh answer of a proxy that is down', 'down', 100, true, 'bad'],
] as const)('%s is told as it is known now', (_, status, age, reachable, tone) => {
  expect(enforcement(health(status), age, reachable).tone).toBe(tone);
});

it('is not stale before anything has come', () => {
  expect(isStale(null, false)).toBe(false);
  expect(isStale(0, false)).toBe(true);
});
