import { describe, expect, it } from 'vitest';
import { AbandonedEntries } from './worker-registry.ts';

describe('an abandoned version', () => {
  it('does not count as part of the live map', () => {
    const abandoned = new AbandonedEntries();
    expect(abandoned.live(100, 100)).toBe(100);
    abandoned.learn(40);
    expect(abandoned.live(140, 100)).toBe(100);
    expect(abandoned.live(141, 100)).toBe(101);
    expect(abandoned.live(139, 100)).toBe(99);
  });

  it.each([
    ['both versions', 137],
    ['the live one alone', 138],
  ])('may lose what is removed, or not hold it: %s', (_which, counted) => {
    const abandoned = new AbandonedEntries();
    abandoned.learn(40);
    abandoned.removing(1);
    expect(abandoned.live(counted, 98)).toBe(98);
    expect(abandoned.live(136, 98)).toBe(97);
    expect(abandoned.live(139, 98)).toBe(99);
  });

  it('never has a negative count, and is counted again after a comparison', () => {
    const abandoned = new AbandonedEntries();
    abandoned.learn(2);
    abandoned.removing(5);
    expect(abandoned.live(99, 100)).toBe(99);
    abandoned.learn(1);
    expect(abandoned.live(100, 100)).toBe(99);
    abandoned.learn(-1);
    expect(abandoned.live(100, 100)).toBe(100);
  });
});
