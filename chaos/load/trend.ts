// Whether a sampled figure grows.
import { median } from '../../testkit/load/percentile.ts';

export interface Sample {
  readonly seconds: number;
  readonly value: number;
}

export interface Trend {
  /** Medians of the second minute and of the last. */
  readonly early: number;
  readonly late: number;
  /** Least squares, from the second minute on. */
  readonly perMinute: number;
  readonly least: number;
  readonly most: number;
}

const warmUp = 60;
const minute = 60;

/** Null: too short for a second minute and a last one. */
export function trendOf(samples: readonly Sample[]): Trend | null {
  const whole = samples.at(-1)?.seconds ?? 0;
  if (whole < warmUp + 2 * minute) return null;
  const warm = samples.filter(({ seconds }) => seconds >= warmUp);
  const values = warm.map(({ value }) => value);
  return {
    early: median(valuesOf(warm.filter(({ seconds }) => seconds < warmUp + minute))),
    late: median(valuesOf(warm.filter(({ seconds }) => seconds > whole - minute))),
    perMinute: slope(warm) * 60,
    least: Math.min(...values),
    most: Math.max(...values),
  };
}

/** The minimum of each `seconds`: what a garbage collection leaves. */
export function lowsOf(samples: readonly Sample[], seconds: number): Sample[] {
  const lows: Sample[] = [];
  for (const sample of samples) {
    const window = Math.floor(sample.seconds / seconds);
    const low = lows.at(-1);
    if (low === undefined || Math.floor(low.seconds / seconds) !== window) lows.push(sample);
    else if (sample.value < low.value) lows[lows.length - 1] = sample;
  }
  return lows;
}

/** Both must grow: a median alone may meet one full collection, a slope one step. */
export function grows(trend: Trend, allowed: { readonly share: number; readonly least: number }): boolean {
  const room = Math.max(trend.early * allowed.share, allowed.least);
  return trend.late - trend.early > room && trend.perMinute > 0;
}

/** Per second. */
function slope(samples: readonly Sample[]): number {
  const meanX = samples.reduce((sum, { seconds }) => sum + seconds, 0) / samples.length;
  const meanY = samples.reduce((sum, { value }) => sum + value, 0) / samples.length;
  let above = 0;
  let below = 0;
  for (const { seconds, value } of samples) {
    above += (seconds - meanX) * (value - meanY);
    below += (seconds - meanX) ** 2;
  }
  return below === 0 ? 0 : above / below;
}

function valuesOf(samples: readonly Sample[]): number[] {
  return samples.map(({ value }) => value);
}
