import { expect, it } from 'vitest';
import { RestartPace } from './supervisor.ts';

function waits(pace: RestartPace, count: number, then: (pace: RestartPace) => void): number[] {
  return Array.from({ length: count }, () => {
    const { waitMs } = pace;
    pace.tried();
    then(pace);
    return waitMs;
  });
}

it('a proxy that cannot be started is retried with growing pauses of at most 30 s', () => {
  expect(waits(new RestartPace(true), 7, () => undefined)).toEqual([
    ...[1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000],
  ]);
});

it('a proxy that served and is killed repeatedly is restarted at once, then within 4 s', () => {
  const pace = new RestartPace(false);
  pace.died(3_000);
  expect(waits(pace, 8, (after) => after.died(3_000))).toEqual([
    ...[0, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000],
  ]);
});

it('a proxy that lived for a minute is restarted at once', () => {
  const pace = new RestartPace(true);
  pace.tried();
  pace.died(60_001);
  expect(pace.waitMs).toBe(0);
});
