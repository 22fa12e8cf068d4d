import { expect, it } from 'vitest';
import { isLate } from './client.ts';

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
