import { describe, expect, it } from 'vitest';
import { AbandonedEntries } from './worker-registry.ts';

describe('an abandoned version', () => {
  it('does not count as part of the live map', () => {
    const leftOver = new AbandonedEntries();
    expect(leftOver.live(100, 100)).toBe(100);
    leftOver.learn(40);
    expect(leftOver.live(140, 100)).toBe(100);
    expect(leftOver.live(141, 100)).toBe(101);
    expect(leftOver.live(139, 100)).toBe(99);
  });

  it.each([
    ['both versions', 137],
    ['the live one alone', 138],
  ])('may lose what is removed, or not hold it: %s', (_which, counted) => {
    const leftOver = new AbandonedEntries();
    leftOver.learn(40);
    leftOver.removing(1);
    expect(leftOver.live(counted, 98)).toBe(98);
    expect(leftOver.live(136, 98)).toBe(97);
    expect(leftOver.live(139, 98)).toBe(99);
  });

  it('never has a negative count, and is counted again after a comparison', () => {
    const leftOver = new AbandonedEntries();
    leftOver.learn(2);
    leftOver.removing(5);
    expect(leftOver.live(99, 100)).toBe(99);
    leftOver.learn(1);
    expect(leftOver.live(100, 100)).toBe(99);
    leftOver.learn(-1);
    expect(leftOver.live(100, 100)).toBe(100);
  });
});
