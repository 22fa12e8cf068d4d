// Only on a terminal, and removed when the work is done.
import { count } from '../../domain/counted.ts';

const minIntervalMs = 100;
const barWidth = 24;

interface ProgressScreen {
  readonly isTerminal: boolean;
  readonly columns: number;
  write(text: string): void;
}

interface ProgressDeps {
  readonly screen: ProgressScreen;
  readonly what: string;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

export class Progress {
  readonly #deps: ProgressDeps;
  readonly #now: () => number;
  #shownAt = Number.NEGATIVE_INFINITY;
  #shown = false;

  constructor(deps: ProgressDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  /** @param share 0 to 1; null: the total is not known */
  show(share: number | null, done: number, unit: string): void {
    if (!this.#deps.screen.isTerminal) return;
    const now = this.#now();
    if (now - this.#shownAt < minIntervalMs) return;
    this.#shownAt = now;
    this.#shown = true;
    // A wrapped line could not be removed again.
    const line = progressLine(this.#deps.what, share, done, unit).slice(0, Math.max(0, this.#deps.screen.columns - 1));
    this.#deps.screen.write(`\r\u001b[K${line}`);
  }

  end(): void {
    if (this.#shown) this.#deps.screen.write('\r\u001b[K');
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
