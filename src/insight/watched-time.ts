// Which times were watched: only of those it is known that an entry denied nothing (ADR 0099).

import type { Emit } from '../events/facts.ts';
import { type Gap, type InsightStore, joinedCause, joinedGaps } from '../store/insight-store.ts';
import { type SeriesStore, steps } from '../store/series-store.ts';
import type { Collector } from './collector.ts';
import { gapCauses, gapSeconds, gapTime, setBackSeconds } from './gaps.ts';

const daySeconds = 86_400;
/** Of the denied requests of a time, and of the time itself: how much may be unknown. */
const unknownShare = 1 / 100;
/** Gaps that wait for the database; further ones are joined. */
const mostPending = 100;

interface Period {
  readonly from: number;
  readonly to: number;
}

interface WatchedTimeDeps {
  readonly collector: Pick<Collector, 'since' | 'lastAt'>;
  readonly records: Pick<InsightStore, 'gaps' | 'addGap'>;
  readonly series: Pick<SeriesStore, 'points'>;
  readonly emit: Emit;
}

/** Why a period does not count as watched. */
export type NotWatched =
  | { readonly why: 'gaps'; readonly days: number }
  | { readonly why: 'not attributed'; readonly denied: number; readonly notAttributed: number };

/** Times are in seconds since 1970. */
export class WatchedTime {
  readonly #deps: WatchedTimeDeps;
  /** Not stored yet, oldest first. */
  #pending: readonly Gap[] = [];
  /** The one that was noted last, as long as it has become. */
  #last: (Gap & { readonly reported: boolean }) | null = null;

  constructor(deps: WatchedTimeDeps) {
    this.#deps = deps;
  }

  /** Counts at once, and is stored by the next `store`. Long ones are reported, once. */
  note(gap: Gap): void {
    const last = this.#last === null ? null : joinedGaps(this.#last, gap);
    const reported = last !== null && this.#last!.reported;
    const now = last ?? gap;
    const long = now.to - now.from >= gapSeconds;
    this.#last = { ...now, reported: reported || long };
    if (long && !reported) this.#deps.emit('insight.gap', { from: iso(now.from), to: iso(now.to), cause: now.cause });
    this.#pending = added(this.#pending, gap);
  }

  /** What could not be stored waits for the next call. @throws StoreError */
  async store(): Promise<void> {
    for (;;) {
      const [gap] = this.#pending;
      if (gap === undefined) return;
      await this.#deps.records.addGap(gap);
      this.#pending = this.#pending.slice(1);
    }
  }

  /** Gaps with an end after `from`, oldest first: stored, waiting for the database, and the one that continues. */
  async gaps(from: number, now: number): Promise<readonly Gap[]> {
    // Taken first: what is stored meanwhile is then seen twice, not missed.
    const { lastAt } = this.#deps.collector;
    const silent = lastAt !== null && now - lastAt >= gapSeconds;
    const open = silent ? [{ from: lastAt, to: now, cause: gapCauses.silent }] : [];
    const unstored = [...this.#pending, ...open].filter(({ to }) => to > from);
    return [...(await this.#deps.records.gaps(from)), ...unstored];
  }

  /** How many of the last days were watched, at most `most`. @throws StoreError */
  async days(most: number, now: number): Promise<number> {
    const since = this.#since(now);
    if (since === null) return 0;
    const from = now - most * daySeconds;
    const [gaps, counts] = [await this.gaps(from, now), await this.#counts({ from, to: now })];
    let days = Math.min(most, Math.floor((now - since) / daySeconds));
    for (; days > 0; days -= 1) {
      const period = { from: now - days * daySeconds, to: now };
      if (isCovered(gaps, period) && isAttributed(counts.since(period.from))) break;
    }
    return Math.max(0, days);
  }

  /** Null: the whole period up to now was watched. @throws StoreError */
  async shortfall(period: Period): Promise<NotWatched | null> {
    const since = this.#since(period.to);
    if (since === null || since > period.from || !isCovered(await this.gaps(period.from, period.to), period))
      return { why: 'gaps', days: await this.days(Math.ceil((period.to - period.from) / daySeconds), period.to) };
    const counts = (await this.#counts(period)).since(period.from);
    return isAttributed(counts) ? null : { why: 'not attributed', ...counts };
  }

  /** Null while the clock is behind the last reading: it was set back, and how long ago that was is not known. */
  #since(now: number): number | null {
    const { since, lastAt } = this.#deps.collector;
    return lastAt !== null && lastAt > now + setBackSeconds ? null : since;
  }

  async #counts({ from, to }: Period) {
    const longest = steps.at(-1)!;
    const { seconds: step } = steps.find(({ seconds, keepSeconds }) => to - from <= keepSeconds - seconds) ?? longest;
    const points = async (metric: 'denied' | 'not_attributed') =>
      await this.#deps.series.points({ metric, labels: [0], step, from: from - (from % step), to: to + step });
    const [denied, notAttributed] = [await points('denied'), await points('not_attributed')];
    const sum = (of: typeof denied, begin: number) =>
      of.reduce((all, { at, value }) => (at + step > begin ? all + value : all), 0);
    return { since: (begin: number) => ({ denied: sum(denied, begin), notAttributed: sum(notAttributed, begin) }) };
  }
}

function isCovered(gaps: readonly Gap[], { from, to }: Period): boolean {
  return gapTime(gaps, from, to) <= (to - from) * unknownShare;
}

function isAttributed({ denied, notAttributed }: { readonly denied: number; readonly notAttributed: number }): boolean {
  return notAttributed <= denied * unknownShare;
}

function added(gaps: readonly Gap[], gap: Gap): readonly Gap[] {
  const before = gaps.at(-1);
  const one = before === undefined ? null : joinedGaps(before, gap);
  if (one !== null) return [...gaps.slice(0, -1), one];
  if (gaps.length < mostPending) return [...gaps, gap];
  const [first, second, ...rest] = gaps as readonly [Gap, Gap, ...Gap[]];
  const both = { from: Math.min(first.from, second.from), to: Math.max(first.to, second.to), cause: joinedCause };
  return [both, ...rest, gap];
}

function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** @param days of the period */
export function notWatchedText(shortfall: NotWatched, days: number): string {
  if (shortfall.why === 'gaps')
    return `denied requests have been watched for ${shortfall.days} days without larger gaps, not for ${days}`;
  const { denied, notAttributed } = shortfall;
  return `${Math.ceil(notAttributed)} of ${Math.ceil(denied)} denied requests of the last ${days} days could not be attributed to an entry, which is more than 1 %`;
}
