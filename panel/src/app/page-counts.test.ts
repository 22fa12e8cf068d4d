import { expect, it } from 'vitest';
import type { Health } from '../api/types.ts';
import { pageCounts } from './page-counts.ts';

const health = (expected: number, reasons: readonly string[] = []) =>
  ({ runtime_map: { expected }, reasons }) as unknown as Health;

it('counts nothing before the first answer', () => {
  expect([...pageCounts(undefined)]).toEqual([]);
});

it('counts entries, and certificates only if they need attention', () => {
  expect([...pageCounts(health(379_126))]).toEqual([
    ['/blocked', { text: '379k', about: '379,126 entries', attention: false }],
  ]);
  const failing = pageCounts(health(0, ['certificates: c-a expired', 'worker 7: no answer']));
  expect(failing.get('/certificates')).toEqual({ text: '1 problem', about: '1 problem', attention: true });
});
