import { expect, it } from 'vitest';
import { judge, type Minute } from './judge.ts';

const sizes = { rows: { knocking: 9, entry_hits: 5 }, megabytes: 1, denied: 100, notAttributed: 0 };
const minute: Minute = { sizes, memory: 200, sent: 120, denied: 110, letIn: 0, entries: 5 };

it('finds nothing wrong within the bounds', () => {
  expect(judge(minute, [], null)).toEqual([]);
  expect(judge(minute, [{ ...minute, denied: 101 }, minute], 170)).toEqual([]);
});

it.each<[string, Partial<Minute>]>([
  ['knocking has 102401 rows', { sizes: { ...sizes, rows: { knocking: 102_401 } } }],
  ['entry_hits has 6 rows, at most 5', { sizes: { ...sizes, rows: { entry_hits: 6 } } }],
  ['the tables have 121.0 MB', { sizes: { ...sizes, megabytes: 121 } }],
  ['the service has 241 MB, 41 more', { memory: 241 }],
  ['1 requests of blocked clients were not denied', { letIn: 1 }],
  ['100 denied requests are stored, but 99 were sent', { sent: 99 }],
])('reports that %s', (text, changed) => {
  expect(judge({ ...minute, ...changed }, [], 200)).toEqual([expect.stringContaining(text)]);
});

it('reports requests that are not stored after two minutes, and a sum that falls', () => {
  expect(judge(minute, [{ ...minute, denied: 102 }, minute], null)).toHaveLength(1);
  expect(judge(minute, [{ ...minute, sizes: { ...sizes, denied: 101 } }], null)).toEqual([
    'the sum of denied requests fell',
  ]);
});
