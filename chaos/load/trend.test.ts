import { describe, expect, it } from 'vitest';
import { grows, lowsOf, trendOf } from './trend.ts';

const samples = (seconds: number, of: (at: number) => number) =>
  Array.from({ length: seconds + 1 }, (_, at) => ({ seconds: at, value: of(at) }));
const allowed = { share: 0.1, least: 5 };

describe('a trend', () => {
  it('needs at least three minutes', () => {
    expect(trendOf(samples(179, () => 1))).toBeNull();
    expect(trendOf([])).toBeNull();
  });

  it('compares the second minute with the last, and ignores the first', () => {
    const trend = trendOf(samples(300, (at) => (at < 60 ? 10_000 : 100 + at)));
    expect(trend).toMatchObject({ early: 190, late: 371, least: 160, most: 400 });
    expect(trend?.perMinute).toBeCloseTo(60);
  });

  it('of a garbage-collected heap follows its minimums, whenever collections run', () => {
    // A heap that grows by 3 MB a second, collected each 17 s at first and each 20 s at the end: fuller in between.
    const filled = (at: number) => 50 + 3 * (at < 200 ? at % 17 : at % 20);
    const leaking = (at: number) => filled(at) + at / 10;
    const lows = (of: (at: number) => number) => trendOf(lowsOf(samples(300, of), 20))!;
    expect(grows(lows(filled), allowed)).toBe(false);
    expect(grows(lows(leaking), allowed)).toBe(true);
    expect(lowsOf(samples(40, filled), 20).map(({ value }) => value)).toEqual([50, 50, 68]);
  });

  it.each([
    ['what rises steadily', (at: number) => 100 + at, true],
    ['what stays', () => 100, false],
    ['what falls', (at: number) => 1_000 - at, false],
    ['what swings', (at: number) => 100 + (at % 10), false],
    ['less than what is allowed', (at: number) => 100 + at / 100, false],
  ])('is a growth: %s', (_, of, expected) => {
    expect(grows(trendOf(samples(300, of))!, allowed)).toBe(expected);
  });
});
