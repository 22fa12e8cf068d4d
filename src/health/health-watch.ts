// Tells when the service's health changes: a look every few seconds, and soon after something happened that may have
// changed it. What is looked at is what `/health` looks at; only the database is not written to each time.

import type { Health as HealthReport } from '../api/health.ts';
import { pause, WakeablePause } from '../concurrency/pause.ts';
import type { Emit } from '../events/facts.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const lookEveryMs = 5_000;
/** A synced write of one page. */
const writeEveryMs = 30_000;
/** What follows one another, as a reload and its workers, is looked at once. */
const soonMs = 200;

export class HealthWatch {
  readonly #look: (how: 'ping' | 'probe') => Promise<Pick<HealthReport, 'status' | 'reasons'>>;
  readonly #emit: Emit;
  readonly #log: Log;
  readonly #everyMs: number;
  readonly #stop = new AbortController();
  readonly #timer = new WakeablePause();
  #kicked = false;
  #loop: Promise<void> | null = null;
  #status: string | null = null;
  #told = '';
  #wroteAt = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly look: (how: 'ping' | 'probe') => Promise<Pick<HealthReport, 'status' | 'reasons'>>;
    readonly emit: Emit;
    readonly log: Log;
    readonly everyMs?: number;
  }) {
    this.#look = options.look;
    this.#emit = options.emit;
    this.#log = options.log;
    this.#everyMs = options.everyMs ?? lookEveryMs;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Look soon: something happened. */
  kick(): void {
    this.#kicked = true;
    this.#timer.wake();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#timer.wake();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#kicked = false;
      await this.#lookOnce();
      if (!this.#kicked) {
        await this.#timer.wait(this.#everyMs, { signal, ref: false });
      }
      if (this.#kicked) await pause(soonMs, { signal, ref: false });
    }
  }

  async #lookOnce(): Promise<void> {
    const writes = performance.now() - this.#wroteAt >= writeEveryMs;
    if (writes) this.#wroteAt = performance.now();
    try {
      const { status, reasons } = await this.#look(writes ? 'probe' : 'ping');
      this.#compare(status, reasons);
    } catch (error) {
      this.#log.warn('The health could not be looked at', { cause: causeText(error) });
    }
  }

  /** Numbers in a reason (entries, milliseconds) change from look to look, and are no news. */
  #compare(status: string, reasons: readonly string[]): void {
    const now = [status, ...reasons.map((reason) => reason.replaceAll(/\d+/g, '#'))].join('\n');
    if (now === this.#told) return;
    this.#emit('health.changed', { status, was: this.#status, reasons });
    this.#told = now;
    this.#status = status;
  }
}
