import { expect, it } from 'vitest';
import { isLate, isLateHealth } from './client.ts';

const answer = (...reasons: string[]) => ({ runtime_map_failures: reasons.map((reason) => ({ reason })) });

it.each([
  'deadline',
  'worker is starting',
  'refused',
  'master socket is down (refused: /run/cli: connection refused (a reload under way, or HAProxy is not running))',
])('counts a change as late whose only failures are "%s"', (reason) => {
  expect(isLate(answer(reason, reason))).toBe(true);
});

it('counts a change with another failure, or none, as not late', () => {
  expect(isLate(answer('worker is starting', 'no-reply'))).toBe(false);
  expect(isLate(answer('the draining worker does not answer'))).toBe(false);
  expect(isLate(answer('master socket is down (absent: /run/cli: there is no such file)'))).toBe(false);
  expect(isLate(answer())).toBe(false);
  expect(isLate({})).toBe(false);
});

it('counts health as late whose only reasons are checks and workers that were late', () => {
  const late = [
    'proxy: not checked (timed out after 2.3 s; ok 7.2 s ago)',
    'a reload is scheduled: batch: the workers could not be listed: deadline',
    'current worker 24192: blocked map: the workers could not be listed: deadline',
  ];
  expect(isLateHealth(late)).toBe(true);
  for (const other of ['current worker 24192: blocked map: 3 entries are missing', 'disk: no space is left']) {
    expect(isLateHealth([...late, other])).toBe(false);
  }
  expect(isLateHealth([])).toBe(false);
});
