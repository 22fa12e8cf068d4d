import { expect, test } from 'vitest';
import { LookSize } from './look-size.ts';

test('a slice that was too much makes the next ones smaller, to a last few, and each that came through larger again', () => {
  const looks = new LookSize();
  const sizes = (learn: () => void): number[] =>
    Array.from({ length: 4 }, () => {
      learn();
      return looks.size;
    });
  expect(looks.size).toBe(100);
  expect(sizes(() => looks.tooMany())).toEqual([25, 6, 5, 5]);
  expect(sizes(() => looks.enough())).toEqual([10, 20, 40, 80]);
  expect(sizes(() => looks.enough())).toEqual([100, 100, 100, 100]);
});
