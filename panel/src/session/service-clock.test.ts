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

it('follows the service from its first answer on, however wrong the browser’s clock is', () => {
  expect(clock.now()).toBe(browser);
  clock.hear('Sun, 22 Nov 2026 12:00:00 GMT');
  expect(clock.now()).toBe(Date.parse('2026-11-22T12:00:00.500Z'));
  elapsed += 60_000;
  // Somebody sets the browser's clock meanwhile.
  browser += 7_200_000;
  expect(clock.now()).toBe(Date.parse('2026-11-22T12:01:00.500Z'));
});

it('keeps what it knows when an answer has no date', () => {
  clock.hear('Sun, 22 Nov 2026 12:00:00 GMT');
  clock.hear(null);
  clock.hear('yesterday');
  expect(clock.now()).toBe(Date.parse('2026-11-22T12:00:00.500Z'));
});
