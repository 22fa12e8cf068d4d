import { expect, it } from 'vitest';
import { SliceSize } from './slice-size.ts';

const sizeOf = () => new SliceSize({ targetMs: 20, first: 100, least: 10, most: 1_000 });

it('converges on the size for the target duration', () => {
  const size = sizeOf();
  for (let slice = 0; slice < 20; slice += 1) size.took(size.rows * 0.05, size.rows);
  expect(size.rows).toBe(400);
});

it('shrinks at once and grows slowly, within its bounds', () => {
  const size = sizeOf();
  size.took(0, 100);
  expect(size.rows).toBe(150);
  for (let slice = 0; slice < 20; slice += 1) size.took(1, size.rows);
  expect(size.rows).toBe(1_000);
  size.took(200, 1_000);
  expect(size.rows).toBe(100);
  size.took(10_000, 100);
  expect(size.rows).toBe(10);
});

it('does not change with slices of few rows, whatever they take', () => {
  const size = sizeOf();
  for (let slice = 0; slice < 20; slice += 1) size.took(200, 3);
  for (let slice = 0; slice < 20; slice += 1) size.took(1, 3);
  expect(size.rows).toBe(100);
});

it('shrinks to what fits after a slice that ended early and still took too long', () => {
  const size = sizeOf();
  size.took(15, 40);
  expect(size.rows).toBe(100);
  size.took(40, 40);
  expect(size.rows).toBe(20);
});
