import { describe, expect, it } from 'vitest';
import { httpsMapValue, parseHsts } from './site-tls.ts';

const year = 31_536_000;
const hsts = (max_age: number, include_subdomains = false, preload = false) => ({
  max_age,
  include_subdomains,
  preload,
});

describe('the value of a name in the map of https settings', () => {
  it.each([
    ['off', null, null],
    ['auto', null, 'redirect'],
    ['off', hsts(0), 'off:0:only'],
    ['off', hsts(300, true), 'off:300:sub'],
    ['auto', hsts(year, true, true), 'redirect:31536000:preload'],
  ] as const)('of redirect %s and HSTS %j is %s', (redirect, wanted, value) => {
    expect(httpsMapValue({ redirect, hsts: wanted })).toBe(value);
  });
});

it.each([
  [hsts(year, true, true), true],
  [hsts(year - 1, true, true), false],
  [hsts(year, false, true), false],
  [hsts(0), true],
])('HSTS %j is valid: %s', (wanted, valid) => {
  expect(parseHsts(wanted).ok).toBe(valid);
});
