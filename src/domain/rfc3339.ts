// RFC 3339 section 5.6, strictly: the zone is required and the day must exist. `Date.parse` alone accepts 30 February.

import { type Parsed, parsed, refused } from './parsed.ts';
import { quote } from './quote.ts';

const FORM =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$/;
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

export function parseTime(text: string): Parsed<Date> {
  const match = FORM.exec(text);
  if (match === null) {
    return refused(`${quote(text)} is not a time with a time zone; use one such as 2030-01-31T12:00:00Z`);
  }
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [zoneHour, zoneMinute] = zoneOffset(match[8] as string);
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) {
    return refused(`${quote(text)} names a day that does not exist`);
  }
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) {
    return refused(`${quote(text)} names a time of day or a zone that does not exist`);
  }
  const time = new Date(text.toUpperCase());
  // The zone can move the last hours of 9999 into a year that RFC 3339 cannot express.
  return time.getTime() > LAST_TIME ? refused(`${quote(text)} is after the year 9999`) : parsed(time);
}

/** A time after `now`. `clock` names the clock of `now` in the message, for a client with another one. */
export function parseFutureTime(text: string, now: Date, clock = "the service's time"): Parsed<Date> {
  const time = parseTime(text);
  if (!time.ok || time.value > now) return time;
  return refused(`${text} is not in the future; ${clock} is ${now.toISOString()}`);
}

function zoneOffset(zone: string): [number, number] {
  return zone.length === 1 ? [0, 0] : [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}
