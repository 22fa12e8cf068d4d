import { describe, expect, test } from 'vitest';
import {
  positionShowing,
  positionWithin,
  rowsInSight,
  scrolled,
  scrolledHeight,
  settledTop,
  tallest,
} from './scroll-window.ts';

const small = { rows: 1_000, rowHeight: 44, viewport: 440 };
const million = { rows: 1_000_000, rowHeight: 44, viewport: 440 };
const top = { position: 0, scrollTop: 0 };

test('a list that fits is scrolled as the browser scrolls', () => {
  expect(scrolledHeight(small)).toBe(44_000);
  expect(scrolled(top, 12_345, small)).toEqual({ position: 12_345, scrollTop: 12_345 });
  expect(settledTop(12_345, small)).toBe(12_345);
});

describe('a million rows', () => {
  test('are no taller than a browser can make anything', () => {
    expect(scrolledHeight(million)).toBe(tallest);
  });

  test('pass one by one under the wheel', () => {
    const view = scrolled({ position: 20_000_000, scrollTop: 3_600_000 }, 3_600_100, million);
    expect(view.position).toBe(20_000_100);
  });

  test('are reached by the bar at its share, and at both ends', () => {
    expect(scrolled(top, (tallest - 440) / 2, million).position).toBeCloseTo((44_000_000 - 440) / 2, 0);
    expect(scrolled(top, tallest - 440, million).position).toBe(44_000_000 - 440);
    expect(rowsInSight(44_000_000 - 440, million).last).toBe(999_999);
    expect(scrolled({ position: 999, scrollTop: 50 }, 0, million).position).toBe(0);
  });

  test('have the bar where it belongs once nobody moves it', () => {
    for (const position of [0, 1_234_567, 40_000_000, 44_000_000 - 440]) {
      const scrollTop = settledTop(position, million);
      expect(Math.abs(scrolled(top, scrollTop, million).position - position)).toBeLessThan(500);
    }
  });
});

test('a row that is gone to is wholly in sight, and moves nothing when it is already', () => {
  expect(positionShowing(5, 0, small)).toBe(0);
  expect(positionShowing(10, 0, small)).toBe(44);
  expect(positionShowing(2, 1_000, small)).toBe(88);
  expect(positionShowing(999, 0, small)).toBe(44_000 - 440);
});

test('a list that becomes shorter is seen at its end, not behind it', () => {
  expect(positionWithin(44_000_000 - 440, { ...million, rows: 500_000 })).toBe(22_000_000 - 440);
  expect(positionWithin(100, million)).toBe(100);
  expect(positionWithin(100, { ...small, rows: 3 })).toBe(0);
});
