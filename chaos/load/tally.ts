import { percentile } from '../../testkit/load/percentile.ts';

export interface Wrong {
  readonly operation: string;
  /** Since the load began. */
  readonly seconds: number;
  readonly what: string;
}

export interface OperationFigures {
  readonly operation: string;
  readonly count: number;
  /** Milliseconds from the first byte sent to the last received. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  readonly longestAtSeconds: number;
}

/** More are only counted. */
const keptWrongs = 200;

export class Tally {
  readonly wrongs: Wrong[] = [];
  wrongTotal = 0;
  done = 0;
  /** Answers that were compared with the model. */
  judged = 0;
  /** Not comparable: an overlapping `PUT` had another outcome. */
  unjudged = 0;
  /** Changes that were not verified in every worker before the deadline. */
  late = 0;
  readonly #began = performance.now();
  readonly #took = new Map<string, number[]>();
  readonly #longest = new Map<string, { ms: number; seconds: number }>();
  readonly #latest: number[] = [];

  get seconds(): number {
    return (performance.now() - this.#began) / 1_000;
  }

  took(operation: string, ms: number): void {
    this.done += 1;
    const all = this.#took.get(operation);
    if (all === undefined) this.#took.set(operation, [ms]);
    else all.push(ms);
    if (ms > (this.#longest.get(operation)?.ms ?? -1)) {
      this.#longest.set(operation, { ms, seconds: this.seconds - ms / 1_000 });
    }
    if (operation === 'block' || operation === 'unblock') this.#latest.push(ms);
  }

  /** @param sure no overlapping operation had another outcome */
  mayJudge(sure: boolean): boolean {
    if (sure) this.judged += 1;
    else this.unjudged += 1;
    return sure;
  }

  has(operation: string): boolean {
    return this.#took.has(operation);
  }

  wrong(operation: string, what: string): void {
    this.wrongTotal += 1;
    if (this.wrongs.length < keptWrongs)
      this.wrongs.push({ operation, seconds: this.seconds, what: what.slice(0, 600) });
  }

  /** Fast path since the last call, for the progress line. */
  recent(): { readonly p50: number; readonly p99: number; readonly longest: number } {
    const latest = this.#latest.splice(0);
    return { p50: percentile(latest, 0.5), p99: percentile(latest, 0.99), longest: percentile(latest, 1) };
  }

  figures(): OperationFigures[] {
    return [...this.#took]
      .map(([operation, all]) => ({
        operation,
        count: all.length,
        p50: percentile(all, 0.5),
        p99: percentile(all, 0.99),
        longest: percentile(all, 1),
        longestAtSeconds: this.#longest.get(operation)?.seconds ?? 0,
      }))
      .sort((one, other) => other.count - one.count);
  }
}
