import { pause } from './pause.ts';

interface RepeatedDeps {
  readonly work: () => Promise<void>;
  readonly everyMs: number;
  /** Called once until the work succeeds again. It is retried after the pause. */
  readonly failed: (error: unknown) => void;
}

/** Runs `work` at once, and again each time after a pause. Keeps no process alive. */
export class Repeated {
  readonly #deps: RepeatedDeps;
  readonly #stop = new AbortController();
  #loop: Promise<void> | null = null;

  constructor(deps: RepeatedDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Waits for work in progress. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { work, everyMs, failed } = this.#deps;
    const { signal } = this.#stop;
    let failing = false;
    while (!signal.aborted) {
      try {
        await work();
        failing = false;
      } catch (error) {
        // What it uses may be closed while it stops.
        if (!failing && !signal.aborted) failed(error);
        failing = true;
      }
      await pause(everyMs, { signal, ref: false });
    }
  }
}
