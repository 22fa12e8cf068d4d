import { expect, it } from 'vitest';
import { endText, pastText } from './age.tsx';

const now = Date.parse('2026-11-22T12:00:00Z');

it('never shows the past as the future, even if a clock is behind', () => {
  expect(pastText(now - 12 * 60_000, now)).toBe('12\u00a0min ago');
  expect(pastText(now + 2_000, now)).toBe('0\u00a0s ago');
});

it('shows an expiry as ahead or past', () => {
  expect(endText(now + 4 * 3_600_000, now)).toBe('in 4\u00a0h');
  expect(endText(now - 3_000, now)).toBe('3\u00a0s ago');
});
