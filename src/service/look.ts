// One of the things that are looked at for the health. What does not come within the bound is told as not looked at:
// neither well nor wrong, with what was found before, and when.
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

export class Look<T> {
  readonly #troubleIn: (value: T) => string | null | undefined;
  #underWay: Promise<unknown> | null = null;
  #last: { readonly trouble: string | null; readonly at: number } | null = null;

  /** `troubleIn` says what is wrong in what was seen; null: nothing; undefined: it tells neither. */
  constructor(troubleIn: (value: T) => string | null | undefined) {
    this.#troubleIn = troubleIn;
  }

  /**
   * Looks, and waits for what it finds until the bound. What hangs from a look before is not looked at once more beside
   * it: ten that hang at once would be worse than one.
   * @param patienceMs where it is waited for no longer than that
   * @throws what `look` throws within that time
   */
  async within(bound: LookBound, look: () => Promise<T>, patienceMs?: number): Promise<Seen<T>> {
    const began = performance.now();
    const restOf = (ms: number): number => Math.max(0, began + ms - performance.now());
    const inTime = (work: Promise<unknown>): Promise<boolean> =>
      bound.outlasts(work, patienceMs === undefined ? undefined : restOf(patienceMs));
    if (this.#underWay !== null && !(await inTime(this.#underWay))) return this.#missed(began);
    if (bound.restMs === 0) return this.leftOut();
    const finding = this.#begin(look);
    return (await inTime(finding)) ? { seen: true, value: await finding } : this.#missed(began);
  }

  /** Not begun: what has to be known for it was not seen, or the time was over before. */
  leftOut(): Missed {
    return this.#missedBecause('no time was left for it');
  }

  async #begin(look: () => Promise<T>): Promise<T> {
    const finding = look();
    this.#underWay = finding;
    try {
      const value = await finding;
      const trouble = this.#troubleIn(value);
      if (trouble !== undefined) this.#last = { trouble, at: performance.now() };
      return value;
    } finally {
      this.#underWay = null;
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
