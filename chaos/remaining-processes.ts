// Finds processes that should have ended: a second master, an old worker.
import { showProcesses } from '../src/haproxy/process/workers.ts';
import { eventually, patienceMs, within } from '../testkit/conditions.ts';
import type { RealService } from '../testkit/real-service.ts';
import { hardStopSeconds } from './hard-stop.ts';

/** An orphaned worker ends after `hard-stop-after`; a busy machine may take longer. */
const longestMs = hardStopSeconds * 1_000 + patienceMs;

/** Remembers processes of earlier rounds, so that no round waits for them. */
export class RemainingProcesses {
  readonly #since = new Map<number, number>();

  async look(service: RealService): Promise<string[]> {
    const pids = await service.proxyPids();
    const { master, current, draining } = await eventually('the master answers', () =>
      showProcesses(service.socket, within(10_000)),
    );
    const known = new Set([master.pid, ...current.map(({ pid }) => pid), ...draining.map(({ pid }) => pid)]);
    const unknown = pids.filter((pid) => !known.has(pid));
    const now = performance.now();
    for (const pid of this.#since.keys()) if (!unknown.includes(pid)) this.#since.delete(pid);
    for (const pid of unknown) if (!this.#since.has(pid)) this.#since.set(pid, now);
    return [...this.#since]
      .filter(([, since]) => now - since > longestMs)
      .map(([pid, since]) => `process ${pid} of HAProxy remains after ${((now - since) / 1_000).toFixed(1)} s`);
  }
}
