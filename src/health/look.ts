// One of the things that are looked at for the health. What does not come within the bound is told as not looked at:
// neither well nor wrong, with what was found before, and when.
import { yieldToLoop } from '../concurrency/pause.ts';
import type { LookBound } from './look-bound.ts';

export type Seen<T> = { readonly seen: true; readonly value: T } | Missed;

export interface Missed {
  readonly seen: false;
  /** A text to be read behind what it is about. */
  readonly why: string;
  /** What was found before stays wrong until it was seen to be well. */
  readonly wasWrong: boolean;
}

/** What was found longer ago says nothing of now. */
const tellsForMs = 60_000;

/** `isWanted`: whether somebody still waits for what is found. */
type Ask<T> = (isWanted: () => boolean) => Promise<T>;

interface Waited<T> {
  readonly finding: Promise<T>;
  wantedUntil: number;
}

export class Look<T> {
  readonly #troubleIn: (value: T) => string | null | undefined;
  #underWay: Promise<unknown> | null = null;
  /** By kind: what follows the one under way. */
  readonly #next = new Map<string, Waited<T>>();
  #last: { readonly trouble: string | null; readonly at: number } | null = null;

  /** `troubleIn` says what is wrong in what was seen; null: nothing; undefined: it tells neither. */
  constructor(troubleIn: (value: T) => string | null | undefined) {
    this.#troubleIn = troubleIn;
  }

  /**
   * Looks, and waits for what it finds until the bound. One look at a time: those who come while one is under way, and
   * it may hang, share the one that follows it, so that nothing that is found is older than their question.
   * @param options `kind`: only those who want the same share; `patienceMs`: where it is waited for no longer than that
   * @throws what `look` throws within that time
   */
  async within(
    bound: LookBound,
    look: Ask<T>,
    { kind = '', patienceMs }: { readonly kind?: string; readonly patienceMs?: number } = {},
  ): Promise<Seen<T>> {
    if (bound.restMs === 0) return this.leftOut();
    const began = performance.now();
    const waited = this.#waitedFor(kind, look);
    waited.wantedUntil = Math.max(waited.wantedUntil, bound.deadline);
    if (!(await bound.outlasts(waited.finding, patienceMs))) return this.#missed(began);
    return { seen: true, value: await waited.finding };
  }

  #waitedFor(kind: string, look: Ask<T>): Waited<T> {
    const known = this.#next.get(kind);
    if (known !== undefined) return known;
    const waited: Waited<T> = { finding: this.#following(kind, look, () => waited.wantedUntil), wantedUntil: 0 };
    this.#next.set(kind, waited);
    return waited;
  }

  async #following(kind: string, look: Ask<T>, wantedUntil: () => number): Promise<T> {
    // Those who ask at once share it.
    await yieldToLoop();
    while (this.#underWay !== null) await this.#underWay;
    this.#next.delete(kind);
    return await this.#begin(() => look(() => performance.now() < wantedUntil()));
  }

  /** Not begun: what has to be known for it was not seen, or the time was over before. */
  leftOut(): Missed {
    return this.#missedBecause('no time was left for it');
  }

  async #begin(look: () => Promise<T>): Promise<T> {
    const ended = Promise.withResolvers<void>();
    this.#underWay = ended.promise;
    try {
      const value = await look();
      const trouble = this.#troubleIn(value);
      if (trouble !== undefined) this.#last = { trouble, at: performance.now() };
      return value;
    } finally {
      this.#underWay = null;
      ended.resolve();
    }
  }

  #missed(began: number): Missed {
    return this.#missedBecause(`no answer within ${seconds(performance.now() - began)} s`);
  }

  #missedBecause(cause: string): Missed {
    const agoMs = this.#last === null ? Number.POSITIVE_INFINITY : performance.now() - this.#last.at;
    if (this.#last === null || agoMs > tellsForMs) {
      return { seen: false, why: `not looked at, ${cause}`, wasWrong: false };
    }
    const { trouble } = this.#last;
    const before = `${seconds(agoMs)} s ago ${trouble === null ? 'all was well' : `it was: ${trouble}`}`;
    return { seen: false, why: `not looked at, ${cause}; ${before}`, wasWrong: trouble !== null };
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
