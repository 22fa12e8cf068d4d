// For people. Programs get ISO 8601 in UTC.

const units: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** In the largest unit with a value of at least two: `45 s`, `90 min`, `36 h`, `12 d`. */
export function span(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds));
  const [size, name] = units.find(([size]) => rounded >= 2 * size) ?? [1, 's'];
  return `${Math.round(rounded / size)} ${name}`;
}

/** `in 3 h`, `5 min ago`, `now`; text that is not a time is returned unchanged. */
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
