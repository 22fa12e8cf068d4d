// One line on standard error that tells how far long work is; only on a terminal, and gone when the work is done.
import { count } from './times.ts';

const leastApartMs = 100;
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

  /** @param now milliseconds of any clock that does not go back */
  constructor(screen: ProgressScreen, what: string, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#what = what;
    this.#now = now;
  }

  /** @param share of the whole, 0 to 1; null: nobody knows how much comes */
  tell(share: number | null, done: number, unit: string): void {
    if (!this.#screen.isTerminal) return;
    const now = this.#now();
    if (now - this.#shownAt < leastApartMs) return;
    this.#shownAt = now;
    this.#shown = true;
    // A line that is too long would wrap, and what wraps cannot be taken back.
    const line = progressLine(this.#what, share, done, unit).slice(0, Math.max(0, this.#screen.columns - 1));
    this.#screen.write(`\r\u001b[K${line}`);
  }

  /** Takes the line back. */
  end(): void {
    if (this.#shown) this.#screen.write('\r\u001b[K');
    this.#shown = false;
    this.#shownAt = Number.NEGATIVE_INFINITY;
  }
}

/** `importing [############            ]  50 %  500,000 lines` */
export function progressLine(what: string, share: number | null, done: number, unit: string): string {
  const told = `${count(done)} ${unit}`;
  if (share === null) return `${what}  ${told}`;
  const whole = Math.min(1, Math.max(0, share));
  const filled = Math.floor(whole * barWidth);
  const percent = String(Math.floor(whole * 100)).padStart(3);
  return `${what} [${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}] ${percent} %  ${told}`;
}
