import type { RuntimeMapFailure } from '../../api/changes.ts';
import type { TurnQueue } from '../../concurrency/turn-queue.ts';
import { RuntimeMapRejection } from '../../haproxy/maps/runtime-map.ts';
import type { Worker } from '../../haproxy/process/workers.ts';
import { MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import { causeText } from '../../telemetry/log.ts';
import type { PendingVersions } from '../compare/map-replacement.ts';
import { throughReload } from '../compare/through-reload.ts';
import type { WorkerReconciler } from '../compare/worker-reconciler.ts';
import type { WorkerRegistry } from '../compare/worker-registry.ts';
import type { MirroredMap } from '../mirrored-map.ts';
import type { ChangeWindows } from '../write/change-windows.ts';
import type { DeleteStrategy } from '../write/delete-strategy.ts';
import type { RuntimeLink } from '../write/runtime-link.ts';

export interface BulkWorkersDeps {
  readonly turns: TurnQueue;
  readonly workers: WorkerReconciler;
  readonly registry: WorkerRegistry;
  readonly link: RuntimeLink;
  readonly map: MirroredMap;
  readonly windows: ChangeWindows;
  readonly pending: PendingVersions;
  readonly strategy: DeleteStrategy;
}

/** `failures` is a sample of `failuresTotal`. */
export interface BulkVerdict {
  readonly failures: readonly RuntimeMapFailure[];
  readonly failuresTotal: number;
  readonly currentFailed: boolean;
}

export const listedFailures = 100;
/** A slice holds the turn; the comparison at the end repairs a worker that missed this deadline. */
const slicePatienceMs = 300;
const reloadPatienceMs = 2_000;

export class BulkWorkers {
  readonly #deps: BulkWorkersDeps;
  /** Pids; a worker that failed a slice is skipped from then on. */
  readonly #reachable: Set<number>;
  readonly #entriesBefore: number;
  #removalsMs = 0;
  /** The remaining removals are left to the atomic replace at the end, at no extra cost. */
  #leftToReplace = false;

  private constructor(deps: BulkWorkersDeps, reachable: Set<number>) {
    this.#deps = deps;
    this.#reachable = reachable;
    this.#entriesBefore = deps.map.expected.total;
  }

  static async reach(deps: BulkWorkersDeps): Promise<BulkWorkers> {
    return new BulkWorkers(deps, (await liveWorkers(deps)).reachable);
  }

  /** Call inside a turn, or in the work that it left running. Failures appear in the verdict. */
  async add(texts: readonly string[]): Promise<void> {
    await this.#send(async (worker, deadline) => {
      this.#deps.pending.noteAdded(this.#deps.map.name, texts, worker.pid);
      await this.#deps.map.runtime.addMany(worker, texts, deadline);
      // An atomic replace under way would lose them.
      const version = this.#deps.pending.of(worker.pid, this.#deps.map.name);
      if (version !== undefined) await this.#deps.map.runtime.addMany(worker, texts, deadline, version);
    });
  }

  /** Has its own turns, because removals cost more. Addresses blocked again meanwhile stay. */
  async remove(texts: readonly string[]): Promise<void> {
    if (this.#leftToReplace) return;
    for (let start = 0; start < texts.length && this.#reachable.size > 0; ) {
      const entries = Math.max(this.#entriesBefore, this.#deps.map.expected.total);
      const left = texts.length - start;
      // Where a delete scans the map, many are left to the atomic replace at the end.
      const { bulkWaitMs } = this.#deps.turns;
      const enough = (pid: number): boolean =>
        this.#deps.strategy.prefersReplace(pid, entries, left, bulkWaitMs) ||
        this.#deps.strategy.budgetSpent(pid, entries, this.#removalsMs, bulkWaitMs);
      if ([...this.#reachable].some(enough)) {
        this.#leftToReplace = true;
        return;
      }
      const piece = texts.slice(
        start,
        start + Math.min(...[...this.#reachable].map((pid) => this.#deps.strategy.perTurn(pid, entries))),
      );
      start += piece.length;
      const asked = performance.now();
      await this.#deps.turns.take('bulk', async () => {
        const end = this.#deps.windows.begin(piece);
        try {
          const members = await this.#deps.map.members(piece);
          const gone = piece.filter((text) => !members.has(text));
          // A connection forwards one command at a time (85 µs). Several workers get only one each: slots are few.
          const half = this.#reachable.size === 1 ? Math.ceil(gone.length / 2) : gone.length;
          const parts = [gone.slice(0, half), gone.slice(half)];
          const began = performance.now();
          await this.#send(async (worker, deadline) => {
            const done = await Promise.allSettled(
              parts.map((part) => this.#deps.map.runtime.deleteMany(worker, part, deadline)),
            );
            // Wait for both: nothing of this turn may arrive after it.
            for (const outcome of done) if (outcome.status === 'rejected') throw outcome.reason;
            this.#deps.strategy.record(worker.pid, entries, gone.length, performance.now() - began);
          });
          this.#removalsMs += performance.now() - asked;
        } finally {
          end();
        }
      });
    }
  }

  async verdict(sample: readonly string[], total: number): Promise<BulkVerdict> {
    let live = await liveWorkers(this.#deps);
    const current = this.#deps.registry.current();
    const failure = (worker: number | null, reason: string): RuntimeMapFailure[] =>
      sample.map((ip) => ({
        ip_address: ip,
        worker,
        command: `show map ${this.#deps.map.runtime.path}`,
        responses: [],
        reason,
      }));
    const { state } = this.#deps.link;
    if (!state.up || current === null) {
      const reason = state.up ? 'no current worker' : `master socket is down (${state.reason})`;
      this.#deps.registry.markAllSuspect('blocked', reason, 'unverified');
      const failures = failure(current?.pid ?? null, reason);
      // Nothing changed, but the workers were not verified.
      const unseen: RuntimeMapFailure = { ip_address: '', worker: null, command: '', responses: [], reason };
      return { failures: total === 0 ? [unseen] : failures, failuresTotal: Math.max(total, 1), currentFailed: true };
    }
    const failures: RuntimeMapFailure[] = [];
    let failuresTotal = 0;
    let currentFailed = false;
    const asked = new Set<number>();
    for (;;) {
      const worker = this.#deps.registry.all().find(({ pid }) => !asked.has(pid));
      if (worker === undefined) {
        // A reload meanwhile started a worker that is not compared yet.
        live = await liveWorkers(this.#deps);
        if (this.#deps.registry.all().every(({ pid }) => asked.has(pid))) break;
        continue;
      }
      asked.add(worker.pid);
      const verdict = await throughReload(this.#deps.link, this.#deps.registry, () =>
        this.#deps.workers.sync(this.#deps.map, worker.pid),
      );
      if (verdict.inSync || this.#deps.registry.byPid(worker.pid) === null) continue;
      failures.push(...failure(worker.pid, verdict.reason ?? 'not verified'));
      failuresTotal += Math.max(total, 1);
      if (worker.role === 'current') currentFailed = true;
    }
    if (live.unlisted !== null) {
      // An unknown worker may lack the change.
      failures.push(...failure(null, `the workers could not be listed: ${live.unlisted}`));
      failuresTotal += Math.max(total, 1);
      currentFailed = true;
    }
    for (const { pid } of live.starting) {
      failures.push(...failure(pid, 'worker is starting'));
      failuresTotal += Math.max(total, 1);
    }
    if (this.#deps.registry.current() === null) {
      failures.push(...failure(null, 'no current worker'));
      failuresTotal += Math.max(total, 1);
      currentFailed = true;
    }
    return { failures: failures.slice(0, listedFailures), failuresTotal, currentFailed };
  }

  /** The comparison at the end repairs failures, and reports those that it cannot repair. */
  async #send(
    command: (worker: { readonly kind: 'pid'; readonly pid: number }, deadline: number) => Promise<void>,
  ): Promise<void> {
    const deadline = performance.now() + slicePatienceMs;
    await Promise.all(
      [...this.#reachable].map(async (pid) => {
        try {
          await command({ kind: 'pid', pid }, deadline);
        } catch (error) {
          this.#reachable.delete(pid);
          this.#deps.registry.markSuspect(pid, 'blocked', causeText(error), 'pending');
          if (!(error instanceof MasterSocketError || error instanceof RuntimeMapRejection)) throw error;
        }
      }),
    );
  }
}

interface LiveWorkers {
  readonly reachable: Set<number>;
  readonly starting: readonly Worker[];
  readonly unlisted: string | null;
}

async function liveWorkers({ link, registry }: Pick<BulkWorkersDeps, 'link' | 'registry'>): Promise<LiveWorkers> {
  const none = (why: string): LiveWorkers => ({ reachable: new Set(), starting: [], unlisted: why });
  if (!link.state.up) return none(`master socket is down (${link.state.reason})`);
  try {
    const processes = await link.processes(reloadPatienceMs);
    registry.observe(processes);
    const reachable = new Set(registry.all().flatMap((worker) => (worker.unresponsive ? [] : [worker.pid])));
    return { reachable, starting: processes.starting, unlisted: null };
  } catch (error) {
    if (!(error instanceof MasterSocketError)) throw error;
    return none(causeText(error));
  }
}
