import { afterEach, expect, test, vi } from 'vitest';
import { LookupSize, RepairTime, RepairTooLong } from './repair-limits.ts';

afterEach(() => vi.restoreAllMocks());

test('starts no step of a repair after its limit, and names the limit', () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(5_000);
  const time = new RepairTime(180_000);
  clock.mockReturnValue(184_999);
  time.step();
  clock.mockReturnValue(185_000);
  expect(() => time.step()).toThrow(new RepairTooLong('comparing and repairing its map took more than 180 s'));
});

test('looks up fewer entries after a missed deadline, and more again after each full slice', () => {
  const lookups = new LookupSize();
  const sizes = (learn: () => void): number[] =>
    Array.from({ length: 4 }, () => {
      learn();
      return lookups.size;
    });
  expect(lookups.size).toBe(100);
  expect(sizes(() => lookups.tooMany())).toEqual([25, 6, 5, 5]);
  expect(sizes(() => lookups.enough())).toEqual([10, 20, 40, 80]);
  expect(sizes(() => lookups.enough())).toEqual([100, 100, 100, 100]);
});
