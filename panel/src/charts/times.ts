import { clockText, dayText } from '../parts/times.ts';

export const ranges = ['1h', '24h', '7d', '30d', '90d'] as const;
export type RangeName = (typeof ranges)[number];

export const rangeLabels: Readonly<Record<RangeName, string>> = {
  '1h': '1 h',
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  '90d': '90 d',
};

const hour = 3_600;
const day = 24 * hour;

export const rangeSeconds: Readonly<Record<RangeName, number>> = {
  '1h': hour,
  '24h': day,
  '7d': 7 * day,
  '30d': 30 * day,
  '90d': 90 * day,
};

/** "24 h", "90 d". */
export function rangeText(seconds: number): string {
  return seconds <= 24 * hour ? `${Math.round(seconds / hour)} h` : `${Math.round(seconds / (24 * hour))} d`;
}

export function isRangeName(text: string): text is RangeName {
  return (ranges as readonly string[]).includes(text);
}

/** A label of the axis. @param step seconds between two labels */
export function axisText(seconds: number, step: number): string {
  const date = new Date(seconds * 1_000);
  return step >= day ? dayText(date) : clockText(date);
}

/** When a step of a chart was. */
export function stepText(seconds: number, stepSeconds: number): string {
  const date = new Date(seconds * 1_000);
  const text = `${dayText(date)}, ${clockText(date)}`;
  if (stepSeconds <= 60) return text;
  return `${text}–${clockText(new Date((seconds + stepSeconds) * 1_000))}`;
}
