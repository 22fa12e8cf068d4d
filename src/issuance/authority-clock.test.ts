import { expect, it } from 'vitest';
import { AuthorityClock } from './authority-clock.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');

it('knows nothing before the first reply', () => {
  expect(new AuthorityClock(() => new Date(NOON)).offsetMs).toBeNull();
});

it.each([
  { what: 'ahead at the reply and now', at: 600, now: 600, offset: 600 },
  { what: 'behind at the reply and now', at: -600, now: -600, offset: -600 },
  { what: 'corrected since the reply', at: 600, now: 0, offset: 0 },
  { what: 'corrected beyond the time of the authority', at: 600, now: -5, offset: 0 },
  { what: 'right at the reply; then the machine slept, or its clock was changed', at: 0, now: 900, offset: 0 },
  { what: 'worse since the reply', at: 400, now: 900, offset: 400 },
])('$what', ({ at, now, offset }) => {
  let [wall, monotonic] = [NOON + at * 1_000, 5_000];
  const clock = new AuthorityClock(
    () => new Date(wall),
    () => monotonic,
  );
  clock.heard(new Date(NOON));
  monotonic += 60_000;
  wall = NOON + 60_000 + now * 1_000;
  expect(clock.offsetMs).toBe(offset * 1_000);
});
