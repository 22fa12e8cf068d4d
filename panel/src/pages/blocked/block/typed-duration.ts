// Durations as people type them: `4h`, `4 h`, `4h30m`, `90 min`, `1 year`. Files and the API accept one number and unit.

import { type Parsed, parsed, refused } from '../../../../../src/domain/parsed.ts';

const units: Readonly<Record<string, number>> = {
  s: 1,
  sec: 1,
  second: 1,
  m: 60,
  min: 60,
  minute: 60,
  h: 3_600,
  hour: 3_600,
  d: 86_400,
  day: 86_400,
  w: 604_800,
  week: 604_800,
  y: 31_536_000,
  year: 31_536_000,
};
const hundredYears = 36_525 * 86_400;
const examples = 'such as 90 s, 30 min, 4 h, 7 d, 2 w or 1 y';

/** The seconds, from one to 100 years. A year has 365 days; months vary in length and are rejected. */
export function readTypedDuration(typed: string): Parsed<number> {
  const text = typed.trim().toLowerCase();
  if (/^\d+$/.test(text)) return refused(`Add a unit: ${text} s, ${text} min, ${text} h or ${text} d.`);
  if (!/^(\d{1,10}\s*[a-z]+\s*)+$/.test(text)) return refused(`Enter a number and a unit, ${examples}.`);
  let seconds = 0;
  for (const [, digits, word = ''] of text.matchAll(/(\d+)\s*([a-z]+)/g)) {
    const unit = units[word] ?? units[word.replace(/s$/, '')];
    if (unit === undefined) return refused(`${word} is not a unit. Enter a number and a unit, ${examples}.`);
    seconds += Number(digits) * unit;
  }
  if (seconds === 0) return refused('The shortest duration is one second.');
  if (seconds > hundredYears) return refused('The limit is 100 years. Choose “Permanent” instead.');
  return parsed(seconds);
}
