import { expect, it } from 'vitest';
import { shortVersion } from './short-version.ts';

it.each([
  ['3.0.11-1+deb13u2', '3.0.11'],
  ['2.6.12', '2.6.12'],
  ['3.4-dev5-1ppa1', '3.4-dev5'],
  ['unknown', 'unknown'],
])('shortens %s to %s', (full, short) => {
  expect(shortVersion(full)).toBe(short);
});
