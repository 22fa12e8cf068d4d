import { expect, it } from 'vitest';
import { eventWords } from './event-words.ts';

const drift = (seen: number) =>
  eventWords({
    id: 'a-1',
    type: 'drift.seen',
    at: '2026-11-21T20:00:00Z',
    data: { map: 'blocked', worker: 7, expected: 3, seen },
  });

it('of a map that differs in number says the numbers', () => {
  expect(drift(2).words).toBe('Worker 7 holds 2 entries of the blocked map where 3 should be');
});

it('of a map that has as many entries as it should, and others, says that', () => {
  expect(drift(3).words).toBe(
    'Worker 7 holds as many entries of the blocked map as it should, but not all of them are right',
  );
});
