import { expect, it } from 'vitest';
import { changeText, count, percent, shortCount } from './figures.ts';

it.each([
  [null, '–'],
  [0, '0'],
  [950, '950'],
  [8_412, '8.4k'],
  [12_000, '12k'],
  [379_126, '379k'],
  [999_949, '1,000k'],
  [999_999, '1M'],
  [20_076_594, '20.1M'],
])('shortens %s to %s', (value, text) => {
  expect(shortCount(value)).toBe(text);
});

it.each([
  [null, '–'],
  [0, '0\u00a0%'],
  [0.00001, '<\u00a00.1\u00a0%'],
  [0.064, '6.4\u00a0%'],
  [0.714, '71\u00a0%'],
  [0.9996, '>\u00a099.9\u00a0%'],
  [0.998, '99.8\u00a0%'],
  [1, '100\u00a0%'],
])('shows the share %s as %s', (share, text) => {
  expect(percent(share)).toBe(text);
});

it.each([
  [161, 100, '+\u00a061\u00a0%'],
  [39, 100, '−\u00a061\u00a0%'],
  [100, 100, 'as before'],
  [1_250, 100, '12.5\u00a0× as much'],
  [5, 0, null],
  [null, 5, null],
])('compares %s with %s: %s', (now, before, text) => {
  expect(changeText(now, before)).toBe(text);
});

it('shows a figure that is not known as a dash', () => {
  expect(count(null)).toBe('–');
});
