// A progress line on standard error: only on a terminal, and removed when the work is done.
import { count } from './times.ts';

const minIntervalMs = 100;
const barWidth = 24;

export interface ProgressScreen {
  readonly isTerminal: boolean;
  readonly columns: number;
  write(text: string): void;
}

export class Progress {
  readonly #screen: ProgressScreen;
  readonly #what: string;
  readonly #now: () => number;
  #shownAt = Number.NEGATIVE_INFINITY;
  #shown = false;

  /** @param now milliseconds of a monotonic clock */
  constructor(screen: ProgressScreen, what: string, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#what = what;
    this.#now = now;
  }

  /** @param share of the total, 0 to 1; null: the total is not known */
  show(share: number | null, done: number, unit: string): void {
    if (!this.#screen.isTerminal) return;
    const now = this.#now();
    if (now - this.#shownAt < minIntervalMs) return;
    this.#shownAt = now;
    this.#shown = true;
    // A wrapped line could not be removed again.
    const line = progressLine(this.#what, share, done, unit).slice(0, Math.max(0, this.#screen.columns - 1));
    this.#screen.write(`\r\u001b[K${line}`);
  }

  /** Removes the line. */
  end(): void {
    if (this.#shown) this.#screen.write('\r\u001b[K');
    this.#shown = false;
    this.#shownAt = Number.NEGATIVE_INFINITY;
  }
}

/** `importing [############            ]  50 %  500,000 lines` */
export function progressLine(what: string, share: number | null, done: number, unit: string): string {
  const amount = `${count(done)} ${unit}`;
  if (share === null) return `${what}  ${amount}`;
  const bounded = Math.min(1, Math.max(0, share));
  const filled = Math.floor(bounded * barWidth);
  const percent = String(Math.floor(bounded * 100)).padStart(3);
  return `${what} [${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}] ${percent} %  ${amount}`;
}
