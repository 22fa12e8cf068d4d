// Times as a person reads them. What a program reads stays ISO 8601 in UTC.

const units: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** Seconds in the largest unit of which there are two: `45 s`, `90 min`, `36 h`, `12 d`. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [size, name] = units.find(([size]) => whole >= 2 * size) ?? [1, 's'];
  return `${Math.round(whole / size)} ${name}`;
}

/** `in 3 h`, `5 min ago`, `now`; the text itself where it is no time. */
export function fromNow(iso: string, now: Date): string {
  const seconds = (Date.parse(iso) - now.getTime()) / 1000;
  if (Number.isNaN(seconds)) return iso;
  if (Math.abs(seconds) < 1) return 'now';
  return seconds > 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`;
}

/** `2026-11-21 20:31 UTC`. */
export function minute(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `12,345`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 address`, `12,345 addresses`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
