import { describe, expect, test } from 'vitest';
import { behaviorOf, modeOf, type UpstreamBehavior } from './upstream-modes.ts';

const reject = 'reject';

describe('the value of an upstream in the map', () => {
  // Frozen: map files on operators' disks contain these numbers.
  test.each<[number, UpstreamBehavior]>([
    [1, { header: 'x-forwarded-for', chain: true, onInvalid: reject }],
    [2, { header: 'x-forwarded-for', chain: false, onInvalid: reject }],
    [3, { header: 'cf-connecting-ip', chain: false, onInvalid: reject }],
    [4, { header: 'true-client-ip', chain: false, onInvalid: reject }],
    [5, { header: 'fastly-client-ip', chain: false, onInvalid: reject }],
    [6, { header: 'x-real-ip', chain: false, onInvalid: reject }],
    [9, { header: null, chain: false, onInvalid: reject }],
    [21, { header: 'x-forwarded-for', chain: true, onInvalid: 'judge_upstream' }],
    [22, { header: 'x-forwarded-for', chain: false, onInvalid: 'judge_upstream' }],
    [23, { header: 'cf-connecting-ip', chain: false, onInvalid: 'judge_upstream' }],
    [26, { header: 'x-real-ip', chain: false, onInvalid: 'judge_upstream' }],
  ])('%i is %j', (mode, behavior) => {
    expect(modeOf(behavior)).toBe(mode);
    expect(behaviorOf(mode)).toEqual(behavior);
  });

  test('other numbers have no meaning', () => {
    for (const mode of [0, 7, 8, 10, 20, 27, 29, 1.5, Number.NaN]) expect(behaviorOf(mode)).toBeNull();
  });

  test.each<UpstreamBehavior>([
    { header: 'x-real-ip', chain: true, onInvalid: reject },
    { header: null, chain: true, onInvalid: reject },
    { header: null, chain: false, onInvalid: 'judge_upstream' },
  ])('%j is refused', (behavior) => {
    expect(() => modeOf(behavior)).toThrow(RangeError);
  });
});
