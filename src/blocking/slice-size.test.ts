import { expect, it } from 'vitest';
import { SliceSize } from './slice-size.ts';

const sizeOf = () => new SliceSize({ targetMs: 20, first: 100, least: 10, most: 1_000 });

it('finds the size that takes the time it may take', () => {
  const size = sizeOf();
  for (let slice = 0; slice < 20; slice += 1) size.took(size.rows * 0.05);
  expect(size.rows).toBe(400);
});

it('shrinks at once and grows slowly, within its bounds', () => {
  const size = sizeOf();
  size.took(0);
  expect(size.rows).toBe(150);
  for (let slice = 0; slice < 20; slice += 1) size.took(1);
  expect(size.rows).toBe(1_000);
  size.took(200);
  expect(size.rows).toBe(100);
  size.took(10_000);
  expect(size.rows).toBe(10);
});
