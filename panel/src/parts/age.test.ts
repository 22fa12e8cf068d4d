import { expect, it } from 'vitest';
import { endText, pastText } from './age.tsx';

const now = Date.parse('2026-11-22T12:00:00Z');

it('tells the past as past, even where a clock is behind', () => {
  expect(pastText(now - 12 * 60_000, now)).toBe('12 min ago');
  expect(pastText(now + 2_000, now)).toBe('0 s ago');
});

it('tells an end as it is to come, or over', () => {
  expect(endText(now + 4 * 3_600_000, now)).toBe('in 4 h');
  expect(endText(now - 3_000, now)).toBe('3 s ago');
});
