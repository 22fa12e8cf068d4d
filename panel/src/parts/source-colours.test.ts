import { expect, it } from 'vitest';
import { colourBySource } from './source-colours.ts';

it('gives a source the colour of its place, operators their own, and all others none', () => {
  const colourOf = colourBySource(['manual', 'a', 'b', 'c', 'd', 'e']);
  expect(['manual', 'a', 'b', 'c', 'd', 'e', 'unknown'].map(colourOf)).toEqual([
    '--chart-4',
    '--chart-1',
    '--chart-2',
    '--chart-3',
    null,
    null,
    null,
  ]);
});
