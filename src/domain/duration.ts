import { type Parsed, parsed, refused } from './parsed.ts';
import { quote } from './quote.ts';

const SECONDS_PER_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const HUNDRED_YEARS = 36_525 * 86_400;

/** The seconds of a duration such as `90s`, `30m`, `4h`, `7d` or `2w`: one whole number above 0 and one unit, at most a hundred years. */
export function parseDuration(text: string): Parsed<number> {
  const [, digits, unit] = /^([1-9][0-9]{0,9})([smhdw])$/.exec(text) ?? [];
  if (digits === undefined || unit === undefined) {
    return refused(`${quote(text)} is not a duration; write a number and a unit: 90s, 30m, 4h, 7d or 2w`);
  }
  const seconds = Number(digits) * (SECONDS_PER_UNIT[unit] as number);
  if (seconds > HUNDRED_YEARS) {
    return refused(`${quote(text)} is longer than a hundred years; omit it for no expiry`);
  }
  return parsed(seconds);
}
