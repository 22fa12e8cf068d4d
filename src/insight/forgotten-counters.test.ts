import { expect, it } from 'vitest';
import { ForgottenCounters } from './forgotten-counters.ts';

const lastHit = 1_000;
const later = lastHit + 200;
const key = '192.0.2.9';

it('start where HAProxy has counted on, and at 0 where it has begun again', () => {
  const forgotten = new ForgottenCounters();
  const startOf = (value: number, lately: number, at = later) => forgotten.startOf({ key, value, lately, at });
  expect(startOf(4, 4)).toBe(0);
  forgotten.note(key, 3, lastHit);
  expect(startOf(4, 1)).toBe(3);
  // HAProxy's estimate may be too low.
  expect(startOf(9, 5)).toBe(3);
  for (const [value, lately] of [
    [3, 3],
    [1, 1],
    [5, 5],
    [5, 4],
  ] as const)
    expect(startOf(value, lately)).toBe(0);
  expect(forgotten.startOf({ key: '192.0.2.10', value: 4, lately: 1, at: later })).toBe(0);
});

it('start where they were while HAProxy still lists the address for its requests of before', () => {
  const forgotten = new ForgottenCounters();
  forgotten.note(key, 3, lastHit);
  const startOf = (value: number) => forgotten.startOf({ key, value, lately: value, at: lastHit + 100 });
  expect([2, 3, 5].map(startOf)).toEqual([0, 3, 3]);
});

it('remember the last of many, and take none for another', () => {
  const forgotten = new ForgottenCounters();
  const address = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  const startOf = (one: string) => forgotten.startOf({ key: one, value: 9, lately: 2, at: later });
  for (let n = 0; n < 200_000; n += 1) forgotten.note(address(n), 7, lastHit);
  const last = Array.from({ length: 10_000 }, (_, at) => address(199_999 - at));
  expect(last.filter((one) => startOf(one) === 7).length).toBeGreaterThan(9_300);
  const others = Array.from({ length: 200_000 }, (_, n) => `2001:db8:${n.toString(16)}::1`);
  expect(others.filter((one) => startOf(one) !== 0)).toEqual([]);
});

it('are not known if they are too large', () => {
  const forgotten = new ForgottenCounters();
  forgotten.note(key, 2 ** 32 + 5, lastHit);
  expect(forgotten.startOf({ key, value: 2 ** 32 + 6, lately: 1, at: later })).toBe(0);
});
