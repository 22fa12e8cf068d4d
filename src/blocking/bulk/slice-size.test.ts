import { describe, expect, it } from 'vitest';
import { SliceLimits, SliceSize } from './slice-size.ts';

const sizeOf = () => new SliceSize({ targetMs: 20, first: 100, least: 10, most: 1_000 });

it('converges on the size for the target duration', () => {
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

describe('the limits of a slice', () => {
  const limitsOf = () =>
    new SliceLimits({
      targetMs: 20,
      changes: { first: 100, least: 10, most: 400 },
      reads: { first: 800, least: 100, most: 3_200 },
    });

  it('ignore slices without changes for the limit of changes', () => {
    const limits = limitsOf();
    for (let slice = 0; slice < 20; slice += 1) limits.took(0.005 * limits.reads, { worked: 3, read: limits.reads });
    expect(limits).toMatchObject({ changes: 100, reads: 3_200 });
    limits.took(10, { worked: 100, read: 130 });
    expect(limits).toMatchObject({ changes: 150, reads: 3_200 });
  });

  it('shrink for the kind of row that takes the time', () => {
    const limits = limitsOf();
    limits.took(40, { worked: 0, read: 800 });
    expect(limits).toMatchObject({ changes: 100, reads: 400 });
    limits.took(40, { worked: 100, read: 100 });
    expect(limits).toMatchObject({ changes: 50, reads: 400 });
    limits.took(40, { worked: 20, read: 100 });
    expect(limits).toMatchObject({ changes: 50, reads: 200 });
  });

  it('do not grow after small slices', () => {
    const limits = limitsOf();
    for (let slice = 0; slice < 20; slice += 1) limits.took(1, { worked: 40, read: 300 });
    expect(limits).toMatchObject({ changes: 100, reads: 800 });
  });
});
