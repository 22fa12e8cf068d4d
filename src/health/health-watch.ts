// Emits `health.changed`. Probes every few seconds, and soon after anything that may change the health, with the same
// checks as `/health`, but without a database write each time.

import type { Health as HealthReport } from '../api/health.ts';
import { KickablePause, pause } from '../concurrency/pause.ts';
import type { Emit } from '../events/facts.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const probeEveryMs = 5_000;
/** A synced write of one page. */
const writeEveryMs = 30_000;
/** A series of events, such as a reload and its workers, shares one probe. */
const soonMs = 200;

interface HealthWatchDeps {
  readonly probe: (how: 'ping' | 'probe') => Promise<Pick<HealthReport, 'status' | 'reasons'>>;
  readonly emit: Emit;
  readonly log: Log;
  readonly everyMs?: number;
}

export class HealthWatch {
  readonly #deps: HealthWatchDeps;
  readonly #everyMs: number;
  readonly #stop = new AbortController();
  readonly #timer = new KickablePause();
  #loop: Promise<void> | null = null;
  #status: string | null = null;
  #last = '';
  #wroteAt = Number.NEGATIVE_INFINITY;

  constructor(deps: HealthWatchDeps) {
    this.#deps = deps;
    this.#everyMs = deps.everyMs ?? probeEveryMs;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Requests a probe soon. */
  kick(): void {
    this.#timer.kick();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#timer.wake();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#timer.begin();
      await this.#probeOnce();
      if (!this.#timer.kicked) await this.#timer.wait(this.#everyMs, { signal, ref: false });
      if (this.#timer.kicked) await pause(soonMs, { signal, ref: false });
    }
  }

  async #probeOnce(): Promise<void> {
    const writes = performance.now() - this.#wroteAt >= writeEveryMs;
    if (writes) this.#wroteAt = performance.now();
    try {
      const { status, reasons } = await this.#deps.probe(writes ? 'probe' : 'ping');
      this.#compare(status, reasons);
    } catch (error) {
      this.#deps.log.warn('Health could not be probed', { cause: causeText(error) });
    }
  }

  /** Numbers in a reason (entries, milliseconds) do not count as a change. */
  #compare(status: string, reasons: readonly string[]): void {
    const now = [status, ...reasons.map((reason) => reason.replaceAll(/\d+/g, '#'))].join('\n');
    if (now === this.#last) return;
    this.#deps.emit('health.changed', { status, was: this.#status, reasons });
    this.#last = now;
    this.#status = status;
  }
}
