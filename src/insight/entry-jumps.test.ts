import { expect, it } from 'vitest';
import { entryJumps, jumpText } from './entry-jumps.ts';

const range = { from: 600, step: 60 };

it('finds a step in which a list was imported, and one in which it was removed', () => {
  expect(entryJumps([10, 10, 1_110, 1_111, 5], range)).toEqual([
    { at: 720, change: 1_100 },
    { at: 840, change: -1_106 },
  ]);
});

it('takes steps that follow each other as one', () => {
  expect(entryJumps([0, 20_000, 50_000, 50_000, 52_000], range)).toEqual([
    { at: 660, change: 50_000 },
    { at: 840, change: 2_000 },
  ]);
});

it('ignores single blocks, and the usual change of a large set', () => {
  expect(entryJumps([10, 900, 1_000], range)).toEqual([]);
  expect(entryJumps([1_000_000, 1_009_000], range)).toEqual([]);
  expect(entryJumps([1_000_000, 1_010_000], range)).toHaveLength(1);
});

it('compares with the last known value, and knows nothing of the first', () => {
  expect(entryJumps([null, 5_000, null, null, 9_000], range)).toEqual([{ at: 840, change: 4_000 }]);
  expect(entryJumps([], range)).toEqual([]);
});

it.each([
  [1_100, '+ 1,100 entries'],
  [-870, '− 870 entries'],
])('writes a change of %i as “%s”', (change, text) => {
  expect(jumpText({ change })).toBe(text);
});
