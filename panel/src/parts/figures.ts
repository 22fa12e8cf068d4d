// Figures as text. A figure that is not known is a dash, never 0.
import { count as formatted } from '../../../src/domain/counted.ts';

export const unknownFigure = '–';

/** Between a number and its unit or sign: a line never ends there. */
export const noBreak = '\u00a0';

/** Such as "6.4 %", "12 min". */
export function withUnit(value: number | string, unit: string): string {
  return `${value}${noBreak}${unit}`;
}

/** Such as 950, 8.4k, 379k, 20.1M: for places that name what is counted. */
export function shortCount(value: number | null): string {
  if (value === null) return unknownFigure;
  for (const [unit, size] of [
    ['M', 1_000_000],
    ['k', 1_000],
  ] as const) {
    // 999,950 would be 1000.0k.
    if (value < size * 0.99995) continue;
    const scaled = value / size;
    return `${scaled < 99.95 ? trimmed(scaled) : formatted(Math.round(scaled))}${unit}`;
  }
  return formatted(Math.round(value));
}

export function count(value: number | null): string {
  return value === null ? unknownFigure : formatted(Math.round(value));
}

/** Of a part from 0 to 1. Something is never shown as 0 %, and less than all never as 100 %. */
export function percent(share: number | null): string {
  if (share === null) return unknownFigure;
  const value = share * 100;
  if (value > 0 && value < 0.1) return `<${noBreak}${withUnit('0.1', '%')}`;
  if (value < 100 && value > 99.9) return `>${noBreak}${withUnit('99.9', '%')}`;
  const isExact = value < 10 || (Math.round(value) === 100 && value < 100);
  return withUnit(isExact ? trimmed(value) : Math.round(value), '%');
}

/** Such as "+ 61 %"; null: there is nothing to compare with. */
export function changeText(now: number | null, before: number | null): string | null {
  if (now === null || before === null || before === 0) return null;
  const change = Math.round((now / before - 1) * 100);
  if (change === 0) return 'as before';
  if (change > 999) return `${withUnit(trimmed(now / before), '×')} as much`;
  return `${change > 0 ? '+' : '−'}${noBreak}${withUnit(Math.abs(change), '%')}`;
}

function trimmed(value: number): string {
  const text = value.toFixed(1);
  return text.endsWith('.0') ? text.slice(0, -2) : text;
}
