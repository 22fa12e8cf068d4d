// Refusals cost their sender nothing, and the audit has room for a million rows: whoever holds the least of keys must not
// be able to push out what was really done. Beyond so many a minute only their number is told.

const refusalsAMinute = 60;
const windowMs = 60_000;
/** Keys are made by an administrator; this is for a service that made very many. */
const mostKeys = 1_000;

interface Window {
  began: number;
  told: number;
  untold: number;
}

/** A key, and how many of its refusals got no row. */
export type Untold = readonly [key: string, untold: number];

export class RefusalPace {
  readonly #windows = new Map<string, Window>();

  /**
   * One more refusal of that key: whether it gets a row of its own, and what is to be told now of those before it that
   * got none. `now` in milliseconds.
   */
  next(key: string, now: number): { readonly tell: boolean; readonly ended: readonly Untold[] } {
    const ended: Untold[] = [];
    const known = this.#windows.get(key);
    if (known !== undefined && hasEnded(known, now)) ended.push(...this.#take(key, known));
    else if (known === undefined && this.#windows.size >= mostKeys) ended.push(...this.takeEnded(now, true));
    const window = this.#windows.get(key) ?? { began: now, told: 0, untold: 0 };
    this.#windows.set(key, window);
    const tell = window.told < refusalsAMinute;
    if (tell) window.told += 1;
    else window.untold += 1;
    return { tell, ended };
  }

  /** What is to be told of the minutes that are over, each once; `all`: of those that are not, too. */
  takeEnded(now: number, all: boolean): Untold[] {
    const ended: Untold[] = [];
    for (const [key, window] of this.#windows) if (all || hasEnded(window, now)) ended.push(...this.#take(key, window));
    return ended;
  }

  #take(key: string, { untold }: Window): Untold[] {
    this.#windows.delete(key);
    return untold > 0 ? [[key, untold]] : [];
  }
}

/** Either way: a clock that was set back begins a new minute too. */
function hasEnded({ began }: Window, now: number): boolean {
  return Math.abs(now - began) >= windowMs;
}
