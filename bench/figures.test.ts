import { describe, expect, it } from 'vitest';
import { asData, type Figure, ratioOf, reached, table } from './figures.ts';

const figure = (more: Partial<Figure>): Figure => ({ name: 'x', value: 3, floor: 2, unit: 'ms', goal: null, ...more });

describe('a figure', () => {
  it.each([
    ['a time, above the floor', figure({}), 1.5],
    ['a rate, below the floor', figure({ unit: '/s', value: 50, floor: 100 }), 2],
    ['without a floor', figure({ floor: null }), null],
  ])('has a ratio that is smaller the better: %s', (_, given, expected) => {
    expect(ratioOf(given)).toBe(expected);
  });

  it.each([
    ['reported only', figure({}), null],
    ['ratio within the goal', figure({ goal: 1.5 }), true],
    ['ratio above the goal', figure({ goal: 1.4 }), false],
    ['a rate within', figure({ unit: '/s', value: 50, floor: 100, goal: 2 }), true],
    ['value within, no floor', figure({ floor: null, unit: 'MB', goal: 3 }), true],
    ['value above, no floor', figure({ floor: null, unit: 'MB', goal: 2.9 }), false],
    ['value judged beside a floor', figure({ floor: 1, goal: 3, goalOf: 'value' }), true],
    ['never measured', figure({ value: Number.NaN, goal: 3 }), false],
  ])('is judged: %s', (_, given, expected) => {
    expect(reached(given)).toBe(expected);
  });
});

describe('the table', () => {
  it('has a line for each figure and each failed row', () => {
    const text = table([
      figure({ name: 'one block', value: 2.345, floor: 1.2, goal: 2 }),
      { row: 'sync', failed: 'the service ended' },
      figure({ name: 'memory', value: 123.4, floor: null, unit: 'MB', goal: 500, note: 'all of it' }),
      figure({ name: 'failed requests', value: 0, floor: null, unit: '', goal: 0 }),
    ]);
    expect(text.split('\n')).toEqual([
      'figure              service    floor  ratio    goal',
      'one block           2.35 ms  1.20 ms   1.95       2  reached',
      'memory (all of it)   123 MB                  500 MB  reached',
      'failed requests           0                       0  reached',
      'sync: FAILED: the service ended',
      '',
    ]);
  });

  it('is printed when nothing was measured', () => {
    expect(table([])).toBe('figure  service  floor  ratio  goal\n');
  });
});

it('returns the same figures as data, unrounded', () => {
  expect(asData([figure({ goal: 1, note: 'n' }), { row: 'put', failed: 'why' }])).toEqual([
    { name: 'x', unit: 'ms', service: 3, floor: 2, ratio: 1.5, goal: 1, reached: false, note: 'n' },
    { row: 'put', failed: 'why' },
  ]);
});
