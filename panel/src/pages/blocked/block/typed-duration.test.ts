import { expect, it } from 'vitest';
import { parseDuration } from '../../../../../src/domain/duration.ts';
import { readTypedDuration } from './typed-duration.ts';

it.each([
  ['4h', 14_400],
  ['4 h', 14_400],
  ['4h30m', 16_200],
  ['1 d 12 h', 129_600],
  ['90 min', 5_400],
  ['2 Weeks', 1_209_600],
  ['1y', 31_536_000],
  ['100y', 3_153_600_000],
])('reads %j as %i seconds', (text, seconds) => {
  expect(readTypedDuration(text)).toEqual({ ok: true, value: seconds });
});

it('agrees with the format of files and the API', () => {
  for (const text of ['90s', '30m', '4h', '7d', '2w']) expect(readTypedDuration(text)).toEqual(parseDuration(text));
});

it.each([
  ['90', 'Add a unit: 90 s'],
  ['abc', 'Enter a number and a unit'],
  ['3 months', 'months is not a unit'],
  ['-1h', 'Enter a number'],
  ['0h', 'one second'],
  ['101y', '100 years'],
  ['9999999999999h', 'Enter a number'],
])('rejects %j with a hint: %s', (text, why) => {
  const read = readTypedDuration(text);
  expect(read.ok ? '' : read.why).toContain(why);
});
