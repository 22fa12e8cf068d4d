import { expect, it } from 'vitest';
import { colourBySource } from './source-colours.ts';

it('gives a source the colour of its place, operators their own, and all others one', () => {
  const colourOf = colourBySource(['manual', 'a', 'b', 'c', 'd', 'e']);
  expect(['manual', 'a', 'b', 'c', 'd', 'e', 'unknown'].map(colourOf)).toEqual([
    '--chart-4',
    '--chart-1',
    '--chart-2',
    '--chart-3',
    '--chart-5',
    '--chart-5',
    '--chart-5',
  ]);
});
