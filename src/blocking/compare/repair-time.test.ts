import { afterEach, expect, test, vi } from 'vitest';
import { RepairTime, RepairTooLong } from './repair-time.ts';

afterEach(() => vi.restoreAllMocks());

test('no step begins after the time, and it says how long that was', () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(5_000);
  const time = new RepairTime(180_000);
  clock.mockReturnValue(184_999);
  time.step();
  clock.mockReturnValue(185_000);
  expect(() => time.step()).toThrow(new RepairTooLong('comparing and repairing its map took more than 180 s'));
});
