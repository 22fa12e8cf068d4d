// Big changes: the whole set, or many addresses. They come into a staging table first, are applied only when all of
// them came, in slices between which other changes go first, and are finished after a crash. Each slice is committed
// and sent to the workers; at the end the file is rewritten and every worker's whole map is the read-back.
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { MasterSocketError } from '../haproxy/master-socket.ts';
import { RuntimeMapRejection } from '../haproxy/runtime-map.ts';
import type { BulkStore, StagedRow } from '../store/bulk-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { RuntimeMapFailure } from './answers.ts';
import type { ChangeWindows } from './change-windows.ts';
import { asServiceError } from './durable-commit.ts';
import type { MapFileKeeper } from './map-file-keeper.ts';
import type { PendingVersions } from './map-replacement.ts';
import type { MirroredMap } from './mirrored-map.ts';
import type { Reconciler } from './reconciler.ts';
import type { RemovalRule } from './removal-rule.ts';
import type { RuntimeLink } from './runtime-link.ts';
import { SliceLimits } from './slice-size.ts';
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

/** Writing them takes some 5 ms, 20 where all have reasons; each is a run for the merge that follows. */
const stageSlice = 16_384;
/** An urgent change waits for one slice, and its own turn follows; nobody waits for those of a start. */
const sliceTargetMs = 25;
const changesOfSlice = { first: 1_000, least: 250, most: 3_000 };
/** What stays as it is costs a tenth. */
const looksOfSlice = { first: 8_000, least: 1_000, most: 32_000 };
const startSlice = 5_000;
/** From here up a replacement that drops more than half needs `allow_shrink`. */
const shrinkGuardFrom = 100;
const listedFailures = 100;
/** A slice has the turn: a worker that does not answer in this time is left to the comparison at the end. */
const slicePatienceMs = 300;
/** A reload under way is waited out. */
const reloadPatienceMs = 2_000;

/** What the last slice of one big change added is on its way to the workers. */
interface Sending {
  last: Promise<void>;
}

/** What the removals of one big change have cost the workers so far. */
interface Removing {
  spentMs: number;
  /** What the workers held before it. */
  readonly entries: number;
  /** Some are left to the atomic replace at the end: it takes the rest out at no further cost. */
  leftToReplace: boolean;
}

export class BulkRunner {
  readonly #bulk: BulkStore;
  readonly #turns: TurnQueue;
  readonly #keeper: MapFileKeeper;
  readonly #workers: WorkerKeeper;
  readonly #book: WorkerBook;
  readonly #link: RuntimeLink;
  readonly #map: MirroredMap;
  readonly #windows: ChangeWindows;
  readonly #reconciler: Pick<Reconciler, 'pause'>;
  readonly #pending: PendingVersions;
  readonly #rule: RemovalRule;
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
    readonly map: MirroredMap;
    readonly windows: ChangeWindows;
    readonly reconciler: Pick<Reconciler, 'pause'>;
    readonly pending: PendingVersions;
    readonly rule: RemovalRule;
    readonly now: () => Date;
    readonly log: Log;
  }) {
    this.#bulk = options.bulk;
    this.#turns = options.turns;
    this.#keeper = options.keeper;
    this.#workers = options.workers;
    this.#book = options.book;
    this.#link = options.link;
    this.#map = options.map;
    this.#windows = options.windows;
    this.#reconciler = options.reconciler;
    this.#pending = options.pending;
    this.#rule = options.rule;
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

  /**
   * After a crash: what had come whole is finished in the database, what had not is forgotten. Before the file
   * is written. True: something was finished, and the file may hold far more than the database does now.
   */
  async finishInterrupted(): Promise<boolean> {
    let finished = false;
    for (const { id, state } of await this.#bulk.unfinished()) {
      if (state === 'ready') {
        this.#log.warn('A big change that a crash interrupted is finished', { bulk: id });
        finished = true;
        for (;;) {
          const slice = await this.#bulk.applySlice(id, startSlice, this.#now(), () => undefined);
          if (slice.done) break;
        }
      }
      await this.#bulk.discard(id);
    }
    await this.#bulk.discardLeftovers();
    return finished;
  }

  async #receive(id: string, source: AsyncIterable<readonly StagedRow[]>): Promise<void> {
    let waiting: StagedRow[] = [];
    const stage = async (): Promise<void> => {
      // Nobody waits while they are sorted.
      const rows = await this.#stored(() => this.#bulk.sorted(waiting));
      waiting = [];
      await this.#turns.take('bulk', () => this.#stored(() => this.#bulk.stageSorted(id, rows)));
    };
    for await (const rows of source) {
      for (const row of rows) {
        waiting.push(row);
        if (waiting.length === stageSlice) await stage();
      }
    }
    if (waiting.length > 0) await stage();
  }

  async #refuseShrink(id: string): Promise<void> {
    // The preview reads all that was staged.
    if (this.#bulk.currentTotal < shrinkGuardFrom) return;
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
      const limits = new SliceLimits({ targetMs: sliceTargetMs, changes: changesOfSlice, looks: looksOfSlice });
      const removing: Removing = { spentMs: 0, entries: this.#map.expected.total, leftToReplace: false };
      const sending: Sending = { last: Promise.resolve() };
      for (let done = false; !done; ) {
        let removed: readonly string[] = [];
        done = await this.#turns.take(
          'bulk',
          async () => {
            const began = performance.now();
            const slice = await this.#applySlice(id, limits, reachable, sending, () => {
              committed = true;
            });
            limits.took(performance.now() - began, slice);
            totals.added += slice.net.added.length;
            totals.removed += slice.net.removed.length;
            totals.unchanged += slice.unchanged;
            for (const texts of [slice.net.added, slice.net.removed]) {
              sample.push(...texts.slice(0, listedFailures - sample.length));
            }
            removed = slice.net.removed;
            return slice.done;
          },
          sending,
        );
        await this.#removeFromWorkers(removed, reachable, removing);
      }
      await sending.last;
      await this.#discard(id);
      // How much of the set goes was asked before it was applied; asked again it would be refused half done.
      if (committed || this.#keeper.problem !== null) await this.#keeper.updateBlockedIpsMap({ acceptShrink: true });
      written = true;
      return { ...totals, ...(await this.#verdicts(sample, totals.added + totals.removed)) };
    } finally {
      // Lines of what was committed are missing, and no change that comes would notice.
      if (committed && !written) this.#keeper.markStale('a big change was stored but not written to the file');
      release();
    }
  }

  /**
   * Inside a turn. What is added goes to the workers after it, while the next slice is written to the database; whoever
   * else has the turn next waits for that. `onCommitted`: something was stored, whatever happens afterwards.
   */
  async #applySlice(
    id: string,
    { changes, looks }: SliceLimits,
    reachable: Set<number>,
    sending: Sending,
    onCommitted: () => void,
  ) {
    let end = (): void => undefined;
    let leaves = false;
    try {
      const slice = await this.#stored(() =>
        this.#bulk.applySlice(
          id,
          changes,
          this.#now(),
          (net) => {
            end = this.#windows.begin([...net.added, ...net.removed]);
          },
          looks,
        ),
      );
      if (slice.net.added.length + slice.net.removed.length > 0) onCommitted();
      this.#keeper.noteCommitted(slice.net);
      await sending.last;
      if (slice.net.added.length === 0) return slice;
      leaves = true;
      sending.last = this.#send(reachable, async (worker, deadline) => {
        this.#pending.noteAdded(this.#map.name, slice.net.added, worker.pid);
        await this.#map.runtime.addMany(worker, slice.net.added, deadline);
        // An atomic replace under way would end without them.
        const version = this.#pending.of(worker.pid, this.#map.name);
        if (version !== undefined) await this.#map.runtime.addMany(worker, slice.net.added, deadline, version);
      }).finally(end);
      this.#turns.leave(sending, sending.last);
      return slice;
    } finally {
      if (!leaves) end();
    }
  }

  /** Removals cost more than additions, so they have turns of their own; whoever was blocked again meanwhile stays. */
  async #removeFromWorkers(texts: readonly string[], reachable: Set<number>, removing: Removing): Promise<void> {
    if (removing.leftToReplace) return;
    for (let start = 0; start < texts.length && reachable.size > 0; ) {
      const entries = Math.max(removing.entries, this.#map.expected.total);
      const left = texts.length - start;
      // Where a delete scans the map, many are left to the atomic replace at the end.
      const enough = (pid: number): boolean =>
        this.#rule.prefersReplace(pid, entries, left) || this.#rule.hadEnough(pid, entries, removing.spentMs);
      if ([...reachable].some(enough)) {
        removing.leftToReplace = true;
        return;
      }
      const piece = texts.slice(
        start,
        start + Math.min(...[...reachable].map((pid) => this.#rule.perTurn(pid, entries))),
      );
      start += piece.length;
      await this.#turns.take('bulk', async () => {
        const end = this.#windows.begin(piece);
        try {
          const members = await this.#map.members(piece);
          const gone = piece.filter((text) => !members.has(text));
          // The master forwards one command of a connection at a time (85 µs each), and two connections twice as many.
          // With several workers each takes one: the master has few places.
          const half = reachable.size === 1 ? Math.ceil(gone.length / 2) : gone.length;
          const parts = [gone.slice(0, half), gone.slice(half)];
          const began = performance.now();
          await this.#send(reachable, async (worker, deadline) => {
            const done = await Promise.allSettled(
              parts.map((part) => this.#map.runtime.deleteMany(worker, part, deadline)),
            );
            // Not before both have ended: nothing of this turn may reach the worker after it.
            for (const outcome of done) if (outcome.status === 'rejected') throw outcome.reason;
            this.#rule.took(worker.pid, entries, gone.length, performance.now() - began);
          });
          removing.spentMs += performance.now() - began;
        } finally {
          end();
        }
      });
    }
  }

  /** To all workers at once. The comparison at the end repairs what can be repaired of a failure, and says what cannot. */
  async #send(
    reachable: Set<number>,
    command: (worker: { readonly kind: 'pid'; readonly pid: number }, deadline: number) => Promise<void>,
  ): Promise<void> {
    const deadline = performance.now() + slicePatienceMs;
    await Promise.all(
      [...reachable].map(async (pid) => {
        try {
          await command({ kind: 'pid', pid }, deadline);
        } catch (error) {
          reachable.delete(pid);
          this.#book.markSuspect(pid, 'blocked', causeText(error));
          if (!(error instanceof MasterSocketError || error instanceof RuntimeMapRejection)) throw error;
        }
      }),
    );
  }

  async #reachableWorkers(): Promise<Set<number>> {
    if (!this.#link.state.up) return new Set();
    try {
      this.#book.observe(await this.#link.processes(reloadPatienceMs));
      return new Set(this.#book.all().flatMap((worker) => (worker.unresponsive ? [] : [worker.pid])));
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
      const unseen: RuntimeMapFailure = { ip_address: '', worker: null, command: '', responses: [], reason };
      return { failures: total === 0 ? [unseen] : failures, failuresTotal: Math.max(total, 1), currentFailed: true };
    }
    const failures: RuntimeMapFailure[] = [];
    let failuresTotal = 0;
    let currentFailed = false;
    const asked = new Set<number>();
    for (;;) {
      const worker = this.#book.all().find(({ pid }) => !asked.has(pid));
      if (worker === undefined) {
        // A reload meanwhile brings a worker that nobody has asked yet.
        await this.#reachableWorkers();
        if (this.#book.all().every(({ pid }) => asked.has(pid))) break;
        continue;
      }
      asked.add(worker.pid);
      const verdict = await this.#workers.ensureWhole(this.#map, worker.pid);
      if (verdict.whole || this.#book.byPid(worker.pid) === null) continue;
      failures.push(...failure(worker.pid, verdict.reason ?? 'not verified'));
      failuresTotal += Math.max(total, 1);
      if (worker.role === 'current') currentFailed = true;
    }
    if (this.#book.current() === null) {
      failures.push(...failure(null, 'no current worker'));
      failuresTotal += Math.max(total, 1);
      currentFailed = true;
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
