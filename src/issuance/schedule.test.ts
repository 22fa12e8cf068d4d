import { expect, it } from 'vitest';
import { latestRenewal, momentIn, nextPollOf, pollAgainAt, reachableAt, renewalByAge, retryAt } from './schedule.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const now = new Date('2026-11-20T12:00:00Z');
const after = (ms: number) => new Date(now.getTime() + ms);
const since = (at: Date) => at.getTime() - now.getTime();
const life = (days: number) => ({ notBefore: now, notAfter: after(days * DAY) });

it.each([
  [90, 0, 58.2],
  [90, 0.5, 60],
  [90, 0.999, 61.8],
  [10, 0.5, 5],
  [6, 0, 2.88],
])('a certificate of %i days is renewed by its age (random number %f) after %f days', (days, random, expected) => {
  expect(since(renewalByAge(life(days), now, random)) / DAY).toBeCloseTo(expected, 1);
});

it('a certificate that is old when it is issued, by a clock that is ahead, is not due at once', () => {
  expect(since(renewalByAge({ notBefore: after(-61 * DAY), notAfter: after(29 * DAY) }, now, 0.5)) / DAY).toBeCloseTo(
    9.7,
    1,
  );
});

it('the moment of a window is in it, and a tenth of the lifetime is left', () => {
  const window = { start: after(DAY), end: after(3 * DAY) };
  expect([0, 0.5, 1].map((random) => since(momentIn(window, random)) / DAY)).toEqual([1, 2, 3]);
  expect(since(latestRenewal(life(90))) / DAY).toBe(81);
});

it.each([
  [null, 60],
  [after(-MINUTE), 60],
  [after(MINUTE), 60],
  [after(6 * 60 * MINUTE), 360],
  [after(90 * DAY), 1_440],
])('a window is asked for again after 1 to 24 h (Retry-After: %s)', (retryAfter, minutes) => {
  expect(since(nextPollOf(retryAfter, now)) / MINUTE).toBe(minutes);
});

it('failed orders are repeated after 10 min to 24 h', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9, 99].map((failures) => since(retryAt(failures, null, now, 0.5)) / MINUTE);
  expect(waits).toEqual([10, 30, 60, 120, 240, 480, 960, 1_440, 1_440, 1_440]);
  expect(since(retryAt(8, null, now, 0)) / MINUTE).toBe(1_152);
  expect(since(retryAt(8, null, now, 1)) / MINUTE).toBe(1_728);
});

it.each([
  ['90 days', 90 * DAY, 1_440],
  ['a day', DAY, 360],
  ['an hour', 60 * MINUTE, 20],
  ['nothing', 0, 1_440],
])('with %s left, the eighth is repeated after at most a quarter of it, or 20 min', (_what, left, minutes) => {
  expect(since(retryAt(8, after(left), now, 0.5)) / MINUTE).toBe(minutes);
});

it('an authority that does not answer is retried after 1 to 30 min', () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((failures) => since(reachableAt(failures, now)) / MINUTE)).toEqual([
    1, 2, 4, 8, 16, 30, 30,
  ]);
});

it('the longer something waits, the more seldom it is asked for', () => {
  expect([0, 4, 60, 3_600].map((seconds) => since(pollAgainAt(seconds * 1_000, now)) / 1_000)).toEqual([
    0.25, 1, 15, 30,
  ]);
});
