import { expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

it.each([
  ['90s', 90],
  ['30m', 1800],
  ['4h', 14_400],
  ['7d', 604_800],
  ['2w', 1_209_600],
])('the duration %s is %i seconds', (text, seconds) => {
  expect(parseDuration(text)).toEqual({ ok: true, value: seconds });
});

it.each(['', '30', 'm', '0s', '030m', '-1h', '1.5h', '4 h', '4H', '4h\n', '1h30m', '9'.repeat(400)])(
  'refuses the duration %j and shows the accepted form',
  (text) => {
    expect(parseDuration(text)).toMatchObject({ ok: false, why: expect.stringContaining('90s, 30m, 4h, 7d or 2w') });
  },
);

it('refuses a duration of more than a hundred years', () => {
  expect(parseDuration('36525d')).toMatchObject({ ok: true });
  expect(parseDuration('36526d')).toMatchObject({ ok: false, why: expect.stringContaining('a hundred years') });
});
