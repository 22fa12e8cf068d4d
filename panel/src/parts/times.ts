// Times as text, in the local time zone: the same in every locale, with 24 hours. What a locale gives has AM and PM in
// some, and other lengths in each.

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "22 Nov" */
export function dayText(time: Date): string {
  return `${time.getDate()} ${months[time.getMonth()]}`;
}

/** "14:05" */
export function clockText(time: Date): string {
  return `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
}

/** "14:05:09" */
export function secondText(time: Date): string {
  return `${clockText(time)}:${twoDigits(time.getSeconds())}`;
}

/** "22 Nov 2026, 14:05:09" */
export function momentText(time: string | number): string {
  const date = new Date(time);
  return `${dayText(date)} ${date.getFullYear()}, ${secondText(date)}`;
}

/** What a pointer on a time shows: the moment also in UTC, as logs and the command line have it. */
export function momentTitle(time: string | number): string {
  return `${momentText(time)} (${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC)`;
}

/** The service's own sentences have times in ISO 8601. */
export function inLocalTime(sentence: string): string {
  return sentence.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, momentText);
}

/** How a time is typed. */
export const typedTimeExample = '2026-11-22 14:05';

/** Null: it is not written so, or there is no such time. */
export function readTypedTime(text: string): Date | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)$/.exec(text.trim());
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = parts.slice(1).map(Number);
  const time = new Date(year, month - 1, day, hour, minute);
  // Of 31 February, Date makes a day of March.
  return time.getMonth() === month - 1 && time.getDate() === day && hour < 24 && minute < 60 ? time : null;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
