import { sortedInSlices, TimeSlice } from '../concurrency/slices.ts';
import type { Emit } from '../events/facts.ts';
import type { InsightStore } from '../store/insight-store.ts';
import type { SeriesStore } from '../store/series-store.ts';
import { type AttackChange, AttackWatch, median } from './attack-watch.ts';
import type { Knocking } from './knocking.ts';
import type { Limits } from './limits.ts';

const minuteSeconds = 60;
const hourSeconds = 3_600;
const daySeconds = 86_400;
/** Entries and sites that are stored; events have the first five. */
const storedTops = 50;
export const tops = 5;

interface AttackRecorderDeps {
  readonly series: SeriesStore;
  readonly records: InsightStore;
  readonly state: { readonly knocking: Knocking };
  readonly emit: Emit;
}

export interface AttackTops {
  readonly networks: readonly { readonly entry: string; readonly denied: number }[];
  readonly sites: readonly { readonly site: string; readonly denied: number }[];
}

/** Judges each complete minute, and stores and reports attacks. */
export class AttackRecorder {
  readonly #deps: AttackRecorderDeps;
  readonly #watch: AttackWatch;
  /** Of the attack that continues; null: none, or it is not stored yet. */
  #id: number | null;
  #minute: { readonly at: number; denied: number } | null = null;
  #lastAt: number | null = null;
  /** Not stored yet, since the database failed. */
  #change: AttackChange | null = null;

  /** An attack that an earlier run reported continues. @throws StoreError */
  static async load(deps: AttackRecorderDeps): Promise<AttackRecorder> {
    const [last] = await deps.records.attacks(1);
    if (last === undefined || last.ended_at !== null) return new AttackRecorder(deps, new AttackWatch(), null);
    const { started_at, usual, peak, denied } = last;
    return new AttackRecorder(deps, new AttackWatch({ startedAt: started_at, usual, peak, denied }), last.id);
  }

  private constructor(deps: AttackRecorderDeps, watch: AttackWatch, id: number | null) {
    this.#deps = deps;
    this.#watch = watch;
    this.#id = id;
  }

  /** Whether there is one. */
  get active(): boolean {
    return this.#watch.open !== null;
  }

  /** The id of the attack that continues, once it is stored. */
  get id(): number | null {
    return this.#id;
  }

  /** @param at of a reading, in seconds  @param denied since the one before */
  count(at: number, denied: number): void {
    const skipped = this.#lastAt === null || at - this.#lastAt > minuteSeconds;
    this.#lastAt = at;
    if (skipped) {
      // Counted over a longer time: no figure of a minute.
      this.#watch.unknown();
      this.#minute = null;
      return;
    }
    const minute = at - (at % minuteSeconds);
    if (this.#minute?.at !== minute) this.#minute = this.#closed(minute, denied);
    else this.#minute.denied += denied;
  }

  #complete: { readonly at: number; readonly denied: number } | null = null;

  #closed(minute: number, denied: number) {
    this.#complete = this.#minute;
    return { at: minute, denied };
  }

  /** @throws StoreError; then the change is stored at the next call */
  async judge(at: number, limits: Limits): Promise<void> {
    const minute = this.#complete;
    if (minute !== null) {
      const loud = this.#watch.open === null && minute.denied > limits.attack_minimum;
      const usual = loud ? await this.#usual(minute.at) : 0;
      this.#complete = null;
      const change = this.#watch.minute(minute, usual, {
        factor: limits.attack_factor,
        minimum: limits.attack_minimum,
      });
      if (change !== null) this.#change = change;
    }
    if (this.#change !== null) await this.#note(this.#change, at);
    this.#change = null;
  }

  /** Denied requests a minute: the median of this hour of the last seven days, before that of the last 24 hours. */
  async #usual(at: number): Promise<number> {
    const { series } = this.#deps;
    const denied = { metric: 'denied', labels: [0] } as const;
    const hour = at - (at % hourSeconds);
    const values: number[] = [];
    for (let day = 1; day <= 7; day += 1) {
      const from = hour - day * daySeconds;
      const points = await series.points({ ...denied, step: 600, from, to: from + hourSeconds });
      values.push(...points.map(({ value }) => value / 10));
    }
    if (values.length > 0) return median(values);
    const points = await series.points({ ...denied, step: 60, from: at - daySeconds, to: at });
    return median(points.map(({ value }) => value));
  }

  async #note({ kind, attack, endedAt }: AttackChange, at: number): Promise<void> {
    const { records, emit } = this.#deps;
    const row = {
      ...{ started_at: attack.startedAt, usual: attack.usual, peak: attack.peak, denied: attack.denied },
      ended_at: kind === 'ended' ? endedAt : null,
      top_json: JSON.stringify(await this.#tops(attack.startedAt, at)),
    };
    if (this.#id === null) {
      this.#id = await records.addAttack(row);
      const { networks, sites } = JSON.parse(row.top_json) as AttackTops;
      emit('attack.started', {
        id: this.#id,
        rate: attack.peak,
        usual: attack.usual,
        top_networks: networks.slice(0, tops),
        top_sites: sites.slice(0, tops),
      });
    } else await records.changeAttack({ id: this.#id, ...row });
    if (kind !== 'ended') return;
    const minutes = Math.round((endedAt - attack.startedAt) / minuteSeconds);
    emit('attack.ended', { id: this.#id, denied: attack.denied, minutes });
    this.#id = null;
  }

  /** Of the hours since its start, at most the last 24. */
  async #tops(startedAt: number, at: number): Promise<AttackTops> {
    const { knocking } = this.#deps.state;
    const hours = Math.min(24, Math.floor(at / hourSeconds) - Math.floor(startedAt / hourSeconds) + 1);
    const networks = new Map<string, number>();
    const slice = TimeSlice.ofItems();
    for (const row of knocking.all()) {
      if (slice.due()) await slice.rest();
      if (knocking.lastHitOf(row)! < startedAt) continue;
      const entry = knocking.entryOf(row);
      if (entry === null) continue;
      networks.set(entry, (networks.get(entry) ?? 0) + knocking.hours.sum(row, hours));
    }
    return {
      networks: (await topOf(networks)).map(([entry, denied]) => ({ entry, denied })),
      sites: (await topOf(await this.#sites(startedAt, at))).map(([site, denied]) => ({ site, denied })),
    };
  }

  async #sites(startedAt: number, at: number): Promise<Map<string, number>> {
    const { series } = this.#deps;
    const names = await series.labels('site');
    const from = Math.max(startedAt, at - hourSeconds);
    const points = await series.points({ metric: 'denied', labels: [...names.keys()], step: 60, from, to: at });
    const sums = new Map<string, number>();
    for (const { label, value } of points) {
      const site = names.get(label)!;
      sums.set(site, (sums.get(site) ?? 0) + value);
    }
    return sums;
  }
}

async function topOf(sums: ReadonlyMap<string, number>): Promise<[string, number][]> {
  return (await sortedInSlices([...sums], (a, b) => b[1] - a[1])).slice(0, storedTops);
}
