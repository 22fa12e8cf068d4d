import { expect, it } from 'vitest';
import { ActiveAddresses } from './active-addresses.ts';

it('counts addresses of a reading into its own step, also if a later step was asked for meanwhile', () => {
  const active = new ActiveAddresses();
  active.saw(599, null);
  expect(active.of(600, 601)).toBe(0);
  active.saw(599, null);
  active.saw(599, 598);
  expect(active.of(600, 599)).toBe(2);
  active.saw(601, 599);
  expect(active.of(600, 601)).toBe(1);
  expect(active.of(600, 1_199)).toBe(1);
  expect(active.of(600, 1_200)).toBe(0);
});
