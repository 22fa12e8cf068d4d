/** Calls `work` every so many milliseconds, until it is stopped. Keeps no process alive. */
export class Ticks {
  readonly #everyMs: number;
  readonly #work: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(everyMs: number, work: () => void) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  start(): void {
    this.#timer ??= setInterval(this.#work, this.#everyMs).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
