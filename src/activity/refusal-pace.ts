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

export class RefusalPace {
  readonly #windows = new Map<string, Window>();

  /**
   * One more refusal of that key: whether it gets a row of its own, and how many before it got none and are to be told
   * now. `now` in milliseconds.
   */
  next(key: string, now: number): { readonly tell: boolean; readonly untold: number } {
    const window = this.#windowOf(key, now);
    let untold = 0;
    // Either way: a clock that was set back begins a new minute too.
    if (Math.abs(now - window.began) >= windowMs) {
      untold = window.untold;
      Object.assign(window, { began: now, told: 0, untold: 0 });
    }
    if (window.told < refusalsAMinute) {
      window.told += 1;
      return { tell: true, untold };
    }
    window.untold += 1;
    return { tell: false, untold };
  }

  #windowOf(key: string, now: number): Window {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    if (this.#windows.size >= mostKeys) this.#windows.clear();
    const window = { began: now, told: 0, untold: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
