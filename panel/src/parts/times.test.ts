import { expect, it } from 'vitest';
import { clockText, dayText, momentText, momentTitle, readTypedTime } from './times.ts';

const afternoon = new Date(2026, 10, 22, 14, 5, 9);
const midnight = new Date(2026, 8, 1, 0, 0, 0);

it('writes times with 24 hours, whatever the locale', () => {
  expect([clockText(afternoon), clockText(midnight)]).toEqual(['14:05', '00:00']);
  expect([dayText(afternoon), dayText(midnight)]).toEqual(['22 Nov', '1 Sep']);
  expect(momentText(afternoon.getTime())).toBe('22 Nov 2026, 14:05:09');
  expect(momentText(midnight.toISOString())).toBe('1 Sep 2026, 00:00:00');
});

it('adds UTC where a pointer asks for it', () => {
  expect(momentTitle('2026-11-22T14:05:09.123Z')).toMatch(/ 2026, \d\d:\d\d:09 \(2026-11-22 14:05:09 UTC\)$/);
});

it('reads a typed time in the local time zone', () => {
  expect(readTypedTime(' 2026-11-22 14:05 ')).toEqual(new Date(2026, 10, 22, 14, 5));
  expect(readTypedTime('2026-11-22T14:05')).toEqual(new Date(2026, 10, 22, 14, 5));
});

it.each(['', '2026-11-22', '2026-02-31 10:00', '2026-11-22 24:00', '2026-11-22 2:05 PM', '22.11.2026 14:05'])(
  'rejects %j as a time',
  (text) => {
    expect(readTypedTime(text)).toBeNull();
  },
);
