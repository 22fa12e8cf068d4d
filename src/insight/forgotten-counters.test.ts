import { expect, it } from 'vitest';
import type { IpWords } from '../domain/ip.ts';
import { ForgottenCounters } from './forgotten-counters.ts';

const lastHit = 1_000;
const later = lastHit + 200;
const address: IpWords = [0, 0, 0xffff, 0xc0000209];

it('start where HAProxy has counted on, and at 0 where it has begun again', () => {
  const forgotten = new ForgottenCounters();
  const startOf = (value: number, lately: number, at = later) => forgotten.startOf({ address, value, lately, at });
  expect(startOf(4, 4)).toBe(0);
  forgotten.note(address, 3, lastHit);
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
  expect(forgotten.startOf({ address: [0, 0, 0xffff, 0xc000020a], value: 4, lately: 1, at: later })).toBe(0);
});

it('start where they were while HAProxy still lists the address for its requests of before', () => {
  const forgotten = new ForgottenCounters();
  forgotten.note(address, 3, lastHit);
  const startOf = (value: number) => forgotten.startOf({ address, value, lately: value, at: lastHit + 100 });
  expect([2, 3, 5].map(startOf)).toEqual([0, 3, 3]);
});

it('remember the last of many, and take none for another', () => {
  const forgotten = new ForgottenCounters();
  const ipv4 = (n: number): IpWords => [0, 0, 0xffff, 0x0a000000 + n];
  const startOf = (one: IpWords) => forgotten.startOf({ address: one, value: 9, lately: 2, at: later });
  for (let n = 0; n < 200_000; n += 1) forgotten.note(ipv4(n), 7, lastHit);
  const last = Array.from({ length: 10_000 }, (_, at) => ipv4(199_999 - at));
  expect(last.filter((one) => startOf(one) === 7).length).toBeGreaterThan(9_300);
  const others = Array.from({ length: 200_000 }, (_, n): IpWords => [0x20010db8, n, 0, 1]);
  expect(others.filter((one) => startOf(one) !== 0)).toEqual([]);
});

it('are not known if they are too large', () => {
  const forgotten = new ForgottenCounters();
  forgotten.note(address, 2 ** 32 + 5, lastHit);
  expect(forgotten.startOf({ address, value: 2 ** 32 + 6, lately: 1, at: later })).toBe(0);
});
