import { describe, expect, test } from 'vitest';
import {
  maxHeight,
  positionShowing,
  positionWithin,
  scrolled,
  scrolledHeight,
  settledTop,
  visibleRows,
} from './scroll-window.ts';

const small = { rows: 1_000, rowHeight: 44, viewport: 440 };
const million = { rows: 1_000_000, rowHeight: 44, viewport: 440 };
const top = { position: 0, scrollTop: 0 };

test('follows the browser in a list below the height limit', () => {
  expect(scrolledHeight(small)).toBe(44_000);
  expect(scrolled(top, 12_345, small)).toEqual({ position: 12_345, scrollTop: 12_345 });
  expect(settledTop(12_345, small)).toBe(12_345);
});

describe('with a million rows', () => {
  test('stays below the height limit', () => {
    expect(scrolledHeight(million)).toBe(maxHeight);
  });

  test('moves exactly with the mouse wheel', () => {
    const view = scrolled({ position: 20_000_000, scrollTop: 3_600_000 }, 3_600_100, million);
    expect(view.position).toBe(20_000_100);
  });

  test('jumps proportionally with the bar, and exactly to both ends', () => {
    expect(scrolled(top, (maxHeight - 440) / 2, million).position).toBeCloseTo((44_000_000 - 440) / 2, 0);
    expect(scrolled(top, maxHeight - 440, million).position).toBe(44_000_000 - 440);
    expect(visibleRows(44_000_000 - 440, million).last).toBe(999_999);
    expect(scrolled({ position: 999, scrollTop: 50 }, 0, million).position).toBe(0);
  });

  test('corrects the bar after the last scroll', () => {
    for (const position of [0, 1_234_567, 40_000_000, 44_000_000 - 440]) {
      const scrollTop = settledTop(position, million);
      expect(Math.abs(scrolled(top, scrollTop, million).position - position)).toBeLessThan(500);
    }
  });
});

test('shows a row completely, and does not scroll if it is visible', () => {
  expect(positionShowing(5, 0, small)).toBe(0);
  expect(positionShowing(10, 0, small)).toBe(44);
  expect(positionShowing(2, 1_000, small)).toBe(88);
  expect(positionShowing(999, 0, small)).toBe(44_000 - 440);
});

test('shows the end of a list that became shorter', () => {
  expect(positionWithin(44_000_000 - 440, { ...million, rows: 500_000 })).toBe(22_000_000 - 440);
  expect(positionWithin(100, million)).toBe(100);
  expect(positionWithin(100, { ...small, rows: 3 })).toBe(0);
});
