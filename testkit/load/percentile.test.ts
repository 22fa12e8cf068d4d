import { describe, expect, it } from 'vitest';
import { median, percentile } from './percentile.ts';

describe('percentiles', () => {
  it.each([
    [[5], 0.5, 5],
    [[3, 1, 2], 0.5, 2],
    [[4, 3, 2, 1], 0.5, 3],
    [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 0.99, 10],
    [[1, 2, 3], 0, 1],
    [[1, 2, 3], 1, 3],
    [[100, 20, 3], 0.5, 20],
  ])('of %j, at %d, is %d', (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected);
  });

  it('is NaN without values', () => {
    expect(median([])).toBeNaN();
  });

  it('does not change the values', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});
