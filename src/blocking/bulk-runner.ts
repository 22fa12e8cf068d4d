// Big changes: the whole set, or many addresses. They come into a staging table first, are applied only when all of
// them came, in slices between which other changes go first, and are finished after a crash. Each slice is committed
// and sent to the workers; at the end the file is rewritten and every worker's whole map is the read-back.
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { type MasterSocket, MasterSocketError } from '../haproxy/master-socket.ts';
import { RuntimeMapRejection } from '../haproxy/runtime-map.ts';
import { showProcesses } from '../haproxy/workers.ts';
import type { BulkStore, StagedRow } from '../store/bulk-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { RuntimeMapFailure } from './answers.ts';
import type { ChangeWindows } from './change-windows.ts';
import { asServiceError } from './durable-commit.ts';
import type { MapFileKeeper } from './map-file-keeper.ts';
import type { MirroredMap } from './mirrored-map.ts';
import type { Reconciler } from './reconciler.ts';
import type { RuntimeLink } from './runtime-link.ts';
import type { TurnQueue } from './turn-queue.ts';
import type { WorkerBook } from './worker-book.ts';
import type { WorkerKeeper } from './worker-keeper.ts';

export interface BulkResult {
  readonly added: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly failures: readonly RuntimeMapFailure[];
  readonly failuresTotal: number;
  readonly currentFailed: boolean;
}

const stageSlice = 2_000;
const applySlice = 1_000;
/** From here up a replacement that drops more than half needs `allow_shrink`. */
const shrinkGuardFrom = 100;
const listedFailures = 100;
/** Before 2.9 a delete scans the map: in a large one the removals are left to the atomic replace at the end. */
const scanningFrom = 20_000;
const slicePatienceMs = 5_000;

export class BulkRunner {
  readonly #bulk: BulkStore;
  readonly #turns: TurnQueue;
  readonly #keeper: MapFileKeeper;
  readonly #workers: WorkerKeeper;
  readonly #book: WorkerBook;
  readonly #link: RuntimeLink;
  readonly #socket: MasterSocket;
  readonly #map: MirroredMap;
  readonly #windows: ChangeWindows;
  readonly #reconciler: Pick<Reconciler, 'pause'>;
  readonly #fastDeletes: () => boolean;
  readonly #now: () => Date;
  readonly #log: Log;
  readonly #failed = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: {
    readonly bulk: BulkStore;
    readonly turns: TurnQueue;
    readonly keeper: MapFileKeeper;
    readonly workers: WorkerKeeper;
    readonly book: WorkerBook;
    readonly link: RuntimeLink;
    readonly socket: MasterSocket;
    readonly map: MirroredMap;
    readonly windows: ChangeWindows;
    readonly reconciler: Pick<Reconciler, 'pause'>;
    readonly fastDeletes: () => boolean;
    readonly now: () => Date;
    readonly log: Log;
  }) {
    this.#bulk = options.bulk;
    this.#turns = options.turns;
    this.#keeper = options.keeper;
    this.#workers = options.workers;
    this.#book = options.book;
    this.#link = options.link;
    this.#socket = options.socket;
    this.#map = options.map;
    this.#windows = options.windows;
    this.#reconciler = options.reconciler;
    this.#fastDeletes = options.fastDeletes;
    this.#now = options.now;
    this.#log = options.log;
  }

  /**
   * Receives and applies one big change. The source is read to its end first; if it throws, nothing changed.
   * @throws ServiceError 409 when a replacement would drop more than half and `allowShrink` is not set
   */
  async run(
    source: AsyncIterable<readonly StagedRow[]>,
    options: { readonly replace: boolean; readonly allowShrink: boolean; readonly requestedBy: string },
  ): Promise<BulkResult> {
    const id = await this.#stored(() => this.#bulk.begin(options));
    try {
      await this.#receive(id, source);
    } catch (error) {
      await this.#discard(id);
      throw error;
    }
    return await this.#alone(async () => {
      try {
        await this.#forgetFailed();
        await this.#keeper.adoptForeignRows();
        if (options.replace && !options.allowShrink) await this.#refuseShrink(id);
        await this.#stored(() => this.#bulk.markReady(id));
      } catch (error) {
        await this.#discard(id);
        throw error;
      }
      try {
        return await this.#apply(id);
      } catch (error) {
        // Its caller was told; finished at the next start it would overrule whatever came after it.
        this.#failed.add(id);
        await this.#discard(id);
        throw error;
      }
    });
  }

  /** After a crash: what had come whole is finished in the database, what had not is forgotten. Before the file is written. */
  async finishInterrupted(): Promise<void> {
    for (const { id, state } of await this.#bulk.unfinished()) {
      if (state === 'ready') {
        this.#log.warn('A big change that a crash interrupted is finished', { bulk: id });
        for (;;) {
          const slice = await this.#bulk.applySlice(id, applySlice, this.#now(), () => undefined);
          if (slice.done) break;
        }
      }
      await this.#bulk.discard(id);
    }
    await this.#bulk.discardLeftovers();
  }

  async #receive(id: string, source: AsyncIterable<readonly StagedRow[]>): Promise<void> {
    let waiting: StagedRow[] = [];
    const stage = async (rows: readonly StagedRow[]): Promise<void> => {
      await this.#turns.take('bulk', () => this.#stored(() => this.#bulk.stage(id, rows)));
    };
    for await (const rows of source) {
      waiting.push(...rows);
      while (waiting.length >= stageSlice) {
        await stage(waiting.slice(0, stageSlice));
        waiting = waiting.slice(stageSlice);
      }
    }
    if (waiting.length > 0) await stage(waiting);
  }

  async #refuseShrink(id: string): Promise<void> {
    const { removes, currentTotal } = await this.#stored(() => this.#bulk.preview(id));
    if (currentTotal < shrinkGuardFrom || removes <= currentTotal / 2) return;
    throw new ServiceError(
      codes.ShrinkRefused,
      'replace blocked set',
      `${removes} of ${currentTotal} entries would go away, more than half; if that is meant, send allow_shrink=true`,
      { members: { would_remove: removes, current_total: currentTotal } },
    );
  }

  async #apply(id: string): Promise<BulkResult> {
    const release = this.#reconciler.pause();
    let committed = false;
    let written = false;
    try {
      const reachable = await this.#reachableWorkers();
      const totals = { added: 0, removed: 0, unchanged: 0 };
      const sample: string[] = [];
      for (let done = false; !done; ) {
        done = await this.#turns.take('bulk', async () => {
          const slice = await this.#applySlice(id, reachable);
          totals.added += slice.net.added.length;
          totals.removed += slice.net.removed.length;
          totals.unchanged += slice.unchanged;
          committed ||= slice.net.added.length + slice.net.removed.length > 0;
          if (sample.length < listedFailures) sample.push(...slice.net.added, ...slice.net.removed);
          return slice.done;
        });
      }
      await this.#discard(id);
      if (committed || this.#keeper.problem !== null) await this.#keeper.updateBlockedIpsMap();
      written = true;
      return { ...totals, ...(await this.#verdicts(sample.slice(0, listedFailures), totals.added + totals.removed)) };
    } finally {
      // Lines of what was committed are missing, and no change that comes would notice.
      if (committed && !written) this.#keeper.markStale('a big change was stored but not written to the file');
      release();
    }
  }

  async #applySlice(id: string, reachable: Set<number>) {
    let end = (): void => undefined;
    try {
      const slice = await this.#stored(() =>
        this.#bulk.applySlice(id, applySlice, this.#now(), (net) => {
          end = this.#windows.begin([...net.added, ...net.removed]);
        }),
      );
      this.#keeper.noteCommitted(slice.net);
      const scanning = !this.#fastDeletes() && this.#map.expected.total > scanningFrom;
      for (const pid of [...reachable]) {
        try {
          const worker = { kind: 'pid', pid } as const;
          const deadline = performance.now() + slicePatienceMs;
          await this.#map.runtime.addMany(worker, slice.net.added, deadline);
          if (!scanning) await this.#map.runtime.deleteMany(worker, slice.net.removed, deadline);
        } catch (error) {
          if (!(error instanceof MasterSocketError || error instanceof RuntimeMapRejection)) throw error;
          // The comparison at the end repairs what can be repaired, and says what cannot.
          reachable.delete(pid);
          this.#book.markSuspect(pid, 'blocked', causeText(error));
        }
      }
      return slice;
    } finally {
      end();
    }
  }

  async #reachableWorkers(): Promise<Set<number>> {
    if (!this.#link.state.up) return new Set();
    try {
      this.#book.observe(await showProcesses(this.#socket, performance.now() + 2_000));
      return new Set(this.#book.all().map((worker) => worker.pid));
    } catch (error) {
      if (!(error instanceof MasterSocketError)) throw error;
      return new Set();
    }
  }

  /** The read-back of a big change: each worker's whole map. */
  async #verdicts(
    sample: readonly string[],
    total: number,
  ): Promise<Pick<BulkResult, 'failures' | 'failuresTotal' | 'currentFailed'>> {
    await this.#reachableWorkers();
    const current = this.#book.current();
    const failure = (worker: number | null, reason: string): RuntimeMapFailure[] =>
      sample.map((ip) => ({
        ip_address: ip,
        worker,
        command: `show map ${this.#map.runtime.path}`,
        responses: [],
        reason,
      }));
    const { state } = this.#link;
    if (!state.up || current === null) {
      const reason = state.up ? 'no current worker' : `master socket is down (${state.reason})`;
      const failures = failure(current?.pid ?? null, reason);
      // Nothing may have changed; that the workers hold what they should was not seen all the same.
      return { failures, failuresTotal: total, currentFailed: true };
    }
    const failures: RuntimeMapFailure[] = [];
    let failuresTotal = 0;
    let currentFailed = false;
    for (const worker of this.#book.all()) {
      const verdict = await this.#workers.ensureWhole(this.#map, worker.pid);
      if (verdict.whole || this.#book.byPid(worker.pid) === null) continue;
      failures.push(...failure(worker.pid, verdict.reason ?? 'not verified'));
      failuresTotal += Math.max(total, 1);
      if (worker.role === 'current') currentFailed = true;
    }
    return { failures: failures.slice(0, listedFailures), failuresTotal, currentFailed };
  }

  async #forgetFailed(): Promise<void> {
    for (const id of this.#failed) {
      await this.#stored(() => this.#bulk.discard(id));
      this.#failed.delete(id);
    }
  }

  async #discard(id: string): Promise<void> {
    try {
      await this.#bulk.discard(id);
      this.#failed.delete(id);
    } catch (error) {
      this.#log.error('Staged rows of a big change are left over; the next start frees them', {
        bulk: id,
        cause: causeText(error),
      });
    }
  }

  /** Failures of the database as what the API says of them. */
  async #stored<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asServiceError(error);
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work);
    this.#last = run.catch(() => undefined);
    return run;
  }
}
