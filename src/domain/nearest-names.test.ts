import { expect, it } from 'vitest';
import { nearestNames } from './nearest-names.ts';

it.each([
  ['listne', { edits: 2, names: ['listen'] }],
  ['listen', { edits: 0, names: ['listen'] }],
  ['mop', { edits: 1, names: ['map', 'top'] }],
  ['', { edits: 3, names: ['map', 'top'] }],
])('finds the names nearest to %j', (name, nearest) => {
  expect(nearestNames(name, ['listen', 'map', 'top'])).toEqual(nearest);
});

it('finds no nearest name without known names', () => {
  expect(nearestNames('map', []).names).toEqual([]);
});
