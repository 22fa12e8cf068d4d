import { beforeEach, expect, it } from 'vitest';
import { ServiceClock } from './service-clock.ts';

let browser: number;
let elapsed: number;
let clock: ServiceClock;
beforeEach(() => {
  browser = Date.parse('2026-11-22T15:00:00Z');
  elapsed = 1_000;
  clock = new ServiceClock({ now: () => browser, elapsed: () => elapsed });
});

it('follows the service from the first response, whatever the browser’s clock says', () => {
  expect(clock.now()).toBe(browser);
  clock.update('Sun, 22 Nov 2026 12:00:00 GMT');
  expect(clock.now()).toBe(Date.parse('2026-11-22T12:00:00.500Z'));
  elapsed += 60_000;
  // The browser's clock is set meanwhile.
  browser += 7_200_000;
  expect(clock.now()).toBe(Date.parse('2026-11-22T12:01:00.500Z'));
});

it('ignores a response without a valid date', () => {
  clock.update('Sun, 22 Nov 2026 12:00:00 GMT');
  clock.update(null);
  clock.update('yesterday');
  expect(clock.now()).toBe(Date.parse('2026-11-22T12:00:00.500Z'));
});
