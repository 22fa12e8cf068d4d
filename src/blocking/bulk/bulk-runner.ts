// Bulk changes: the complete set, or many addresses. They are staged first and applied once all were received, in slices
// between which other changes go first; after a crash they are finished. Each slice is committed and sent to the
// workers. At the end the file is rewritten and the complete map of every worker is read back.

import { Mutex } from '../../concurrency/mutex.ts';
import type { TurnQueue } from '../../concurrency/turn-queue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { AuditedChange } from '../../store/audit-rows.ts';
import type { BulkStore, StagedRow } from '../../store/bulk-store.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { type ChangeCounts, nothingChanged } from '../answers.ts';
import type { Reconciler } from '../compare/reconciler.ts';
import { changeFailure } from '../write/change-failure.ts';
import type { ChangeWindows } from '../write/change-windows.ts';
import { EntryLimit } from '../write/entry-limit.ts';
import type { MapFileKeeper } from '../write/map-file-keeper.ts';
import { BulkGuard, type Guarded } from './bulk-guard.ts';
import { type BulkVerdict, BulkWorkers, type BulkWorkersParts, listedFailures } from './bulk-workers.ts';
import { SliceLimits } from './slice-size.ts';

export interface BulkResult extends BulkVerdict, ChangeCounts {}

/** Writing them takes some 5 ms, 20 where all have reasons; each is a run for the merge that follows. */
const stageSlice = 16_384;
/** An urgent change waits for one slice. At a start no request waits. */
const sliceTargetMs = 25;
const changesOfSlice = { first: 1_000, least: 250, most: 3_000 };
/** Unchanged rows cost a tenth. */
const looksOfSlice = { first: 8_000, least: 1_000, most: 32_000 };
const startSlice = 5_000;
/** Between attempts to discard staged rows. */
const retryMs = 500;
/** Stored so far; workers may lack some of it, and the file lacks all of it. */
export interface BulkUnderWay {
  readonly added: number;
  readonly removed: number;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** What the last slice of one bulk change added is on its way to the workers. */
interface Sending {
  last: Promise<void>;
}

export class BulkRunner {
  readonly #bulk: BulkStore;
  readonly #turns: TurnQueue;
  readonly #keeper: MapFileKeeper;
  readonly #windows: ChangeWindows;
  readonly #reconciler: Pick<Reconciler, 'pause'>;
  readonly #now: () => Date;
  readonly #parts: BulkWorkersParts;
  readonly #log: Log;
  readonly #guard: BulkGuard;
  /** Ended, and not forgotten: the database did not take that yet, or the file lacks what was stored of them. */
  readonly #failed = new Set<string>();
  #retry: NodeJS.Timeout | null = null;
  #stopped = false;
  /** Nothing more of them is applied, and the file lacks what was: what the database keeps of them says so to a start. */
  readonly #finished = new Set<string>();
  /** Partly stored, and not in the file. */
  readonly #committed = new Set<string>();
  #underWay: { added: number; removed: number } | null = null;
  readonly #mutex = new Mutex();

  constructor(
    options: BulkWorkersParts & {
      readonly bulk: BulkStore;
      readonly keeper: MapFileKeeper;
      readonly reconciler: Pick<Reconciler, 'pause'>;
      readonly now: () => Date;
      readonly log: Log;
      /** Absent: for any number of entries. */
      readonly limit?: EntryLimit;
    },
  ) {
    this.#parts = options;
    this.#bulk = options.bulk;
    this.#turns = options.turns;
    this.#keeper = options.keeper;
    this.#windows = options.windows;
    this.#reconciler = options.reconciler;
    this.#now = options.now;
    this.#log = options.log;
    this.#guard = new BulkGuard(options.bulk, options.limit ?? new EntryLimit(0));
  }

  /**
   * Receives and applies one bulk change. The source is read to its end first; if it throws, nothing changed.
   * @throws ServiceError 409 when a replacement would drop more than half, or all because nothing came, and
   *   `allowShrink` is not set; and when there would be more entries than the maximum
   */
  async run(
    source: AsyncIterable<readonly StagedRow[]>,
    options: {
      readonly replace: boolean;
      readonly allowShrink: boolean;
      readonly requestedBy: string;
      /** Only counts what it would do now. */
      readonly dryRun?: boolean;
      /** What the audit tells of one with so many entries; its row is written when all have come. */
      readonly audited?: (entries: number) => AuditedChange;
    },
  ): Promise<BulkResult> {
    const id = await this.#stored(() => this.#bulk.begin(options));
    crashPoint('bulk.begun');
    let entries = 0;
    try {
      entries = await this.#receive(id, source);
    } catch (error) {
      await this.#end(id);
      throw error;
    }
    return await this.#mutex.run(async () => {
      const totals = { ...nothingChanged };
      try {
        if (options.dryRun === true) return await this.#preview(id, entries, options);
        await this.#forgetFailed();
        await this.#keeper.adoptForeignRows();
        await this.#stored(() => this.#guard.refuse(id, entries, options));
        crashPoint('bulk.received');
        await this.#stored(() => this.#bulk.markReady(id, options.audited?.(entries)));
        crashPoint('bulk.ready');
      } catch (error) {
        await this.#end(id);
        throw error;
      }
      try {
        return await this.#apply(id, totals);
      } catch (error) {
        const failure = changeFailure(error, totals);
        // The client gets the failure; finished at the next start it would overwrite later changes.
        this.#failed.add(id);
        this.#tryAgain();
        // A change that only the file lacks cannot overwrite anything, and the next start needs its record to write the file.
        if (this.#finished.has(id) || (await this.#end(id))) throw failure;
        throw mayStillBeMade(failure);
      }
    });
  }

  /** Of the one that is being applied, from before its first slice until every worker was seen; null: none is. */
  get underWay(): BulkUnderWay | null {
    return this.#underWay;
  }

  /** What is staged of a bulk change that has ended and may still be applied by the start after a crash; null: nothing. */
  get problem(): string | null {
    for (const id of this.#failed) {
      if (!this.#finished.has(id)) return 'could not discard the staged rows of a failed bulk change; retrying';
    }
    return null;
  }

  /** Ends the retries. */
  stop(): void {
    this.#stopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
  }

  /**
   * When no bulk change is being applied; the next one waits. For work to which a bulk change half applied would look
   * like a map that is wrong.
   */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(work);
  }

  /**
   * After a crash: what had come whole is finished in the database, what had not is forgotten. Before the file
   * is written. True: something was finished, now or before, and the file may hold far more than the database does now;
   * `forgetFinished` is to be called when the file was written.
   */
  async finishInterrupted(): Promise<boolean> {
    for (const { id, state } of await this.#bulk.unfinished()) {
      if (state === 'ready') {
        this.#log.warn('Finishing a bulk change that a crash interrupted', { bulk: id });
        for (;;) {
          const slice = await this.#bulk.applySlice(id, startSlice, this.#now(), () => undefined);
          crashPoint('bulk.finished-slice-at-start');
          if (slice.done) break;
        }
      } else await this.#bulk.discard(id);
    }
    await this.#bulk.discardLeftovers(['discarded']);
    return await this.#bulk.anyFinished();
  }

  /** The file holds what was finished; that it shrank by it needs no permission any more. */
  async forgetFinished(): Promise<void> {
    await this.#bulk.discardLeftovers();
  }

  /** How many entries came. */
  async #receive(id: string, source: AsyncIterable<readonly StagedRow[]>): Promise<number> {
    let waiting: StagedRow[] = [];
    let entries = 0;
    const stage = async (): Promise<void> => {
      // Sorting holds no turn.
      const rows = await this.#stored(() => this.#bulk.sorted(waiting));
      waiting = [];
      await this.#turns.take('bulk', () => this.#stored(() => this.#bulk.stageSorted(id, rows)));
      crashPoint('bulk.staged');
    };
    for await (const rows of source) {
      entries += rows.length;
      for (const row of rows) {
        waiting.push(row);
        if (waiting.length === stageSlice) await stage();
      }
    }
    if (waiting.length > 0) await stage();
    return entries;
  }

  /** What it would do now; the staged rows are discarded. */
  async #preview(id: string, entries: number, options: Guarded): Promise<BulkResult> {
    await this.#stored(() => this.#guard.refuse(id, entries, options));
    const now = this.#now();
    const preview = await this.#stored(() => this.#bulk.preview(id, { updatesAt: now }));
    const { adds, removes, updates, renewed, unchanged } = preview;
    await this.#end(id);
    const counts = { added: adds + renewed, updated: updates, removed: removes, unchanged };
    return { ...counts, failures: [], failuresTotal: 0, currentFailed: false };
  }

  async #apply(id: string, totals: Mutable<ChangeCounts>): Promise<BulkResult> {
    const release = this.#reconciler.pause();
    const shrunk = this.#keeper.grantShrink();
    this.#underWay = totals;
    try {
      const workers = await BulkWorkers.reach(this.#parts);
      const sample: string[] = [];
      const limits = new SliceLimits({ targetMs: sliceTargetMs, changes: changesOfSlice, looks: looksOfSlice });
      const sending: Sending = { last: Promise.resolve() };
      for (let done = false; !done; ) {
        let removed: readonly string[] = [];
        done = await this.#turns.take(
          'bulk',
          async () => {
            const began = performance.now();
            const slice = await this.#applySlice(id, limits, workers, sending, totals);
            limits.took(performance.now() - began, slice);
            for (const texts of [slice.net.added, slice.net.removed]) {
              sample.push(...texts.slice(0, listedFailures - sample.length));
            }
            removed = slice.net.removed;
            return slice.done;
          },
          sending,
        );
        await workers.remove(removed);
        crashPoint('bulk.slice-sent');
      }
      await sending.last;
      crashPoint('bulk.applied');
      this.#finished.add(id);
      // How much of the set goes was asked before it was applied; asked again it would be refused half done.
      if (this.#committed.has(id) || this.#keeper.problem !== null)
        await this.#keeper.updateBlockedIpsMap({ acceptShrink: true });
      this.#committed.delete(id);
      crashPoint('bulk.file-written');
      // Not before: a start after a crash learns from it that the file, which holds far more, may be written.
      this.#finished.delete(id);
      await this.#end(id);
      crashPoint('bulk.discarded');
      return { ...totals, ...(await workers.verdict(sample, totals.added + totals.removed)) };
    } finally {
      // Lines of what was committed are missing, and no change that comes would notice.
      if (this.#committed.has(id))
        this.#keeper.markStale('a bulk change was stored but not written to the file', { acceptShrink: true });
      shrunk();
      this.#underWay = null;
      release();
    }
  }

  /**
   * Inside a turn. Additions are sent to the workers after it, while the next slice is written to the database; the turn
   * of any other owner waits for that.
   */
  async #applySlice(
    id: string,
    { changes, looks }: SliceLimits,
    workers: BulkWorkers,
    sending: Sending,
    totals: Mutable<ChangeCounts>,
  ) {
    let end = (): void => undefined;
    let leaves = false;
    try {
      const slice = await this.#bulk.applySlice(
        id,
        changes,
        this.#now(),
        (net) => {
          end = this.#windows.begin([...net.added, ...net.removed]);
          crashPoint('bulk.slice-before-commit');
        },
        looks,
      );
      crashPoint('bulk.slice-committed');
      if (slice.net.added.length + slice.net.removed.length > 0) this.#committed.add(id);
      // In the same turn, for a comparison of the two.
      this.#keeper.noteCommitted(slice.net);
      await this.#keeper.noteGeneration(slice.generation);
      totals.added += slice.net.added.length + slice.renewed;
      totals.updated += slice.updated;
      totals.removed += slice.net.removed.length;
      totals.unchanged += slice.unchanged;
      await sending.last;
      if (slice.net.added.length === 0) return slice;
      leaves = true;
      sending.last = workers.add(slice.net.added).finally(end);
      this.#turns.leave(sending, sending.last);
      return slice;
    } finally {
      if (!leaves) end();
    }
  }

  async #forgetFailed(): Promise<void> {
    for (const id of this.#failed) await this.#stored(() => this.#forget(id));
  }

  /** As far as can be now: what the file still lacks of it keeps its leave to shrink the file. */
  async #forget(id: string): Promise<void> {
    const lacking = this.#finished.has(id) || this.#committed.has(id);
    if (lacking && this.#keeper.problem !== null) {
      if (!this.#finished.has(id)) await this.#bulk.giveUp(id);
      this.#finished.add(id);
      return;
    }
    await this.#bulk.discard(id);
    for (const ids of [this.#failed, this.#finished, this.#committed]) ids.delete(id);
  }

  /** False: the database did not take it, and a start after a crash goes on with what was to be given up. */
  async #end(id: string): Promise<boolean> {
    try {
      await this.#forget(id);
      return true;
    } catch (error) {
      this.#log.error('Could not discard the staged rows of a failed bulk change; retrying', {
        bulk: id,
        cause: causeText(error),
      });
      this.#failed.add(id);
      this.#tryAgain();
      return false;
    }
  }

  #tryAgain(): void {
    if (this.#retry !== null || this.#stopped) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      const untaken = this.problem;
      this.#mutex
        .run(() => this.#forgetFailed())
        .then(
          () => {
            if (untaken !== null) this.#log.info('Staged rows of failed bulk changes were discarded');
            // Of some the file is still to be written.
            if (this.#failed.size > 0) this.#tryAgain();
          },
          // Logged at the first failure, and reported by `/health` until then.
          () => this.#tryAgain(),
        );
    }, retryMs);
    this.#retry.unref();
  }

  /** Maps failures of the database to those of the API. */
  async #stored<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw changeFailure(error);
    }
  }
}

/** The failure as the client gets it when the staged rows could not be discarded either. */
function mayStillBeMade(known: ServiceError): ServiceError {
  return new ServiceError(
    known.code,
    known.op,
    `${known.detail}; its staged rows could not be discarded yet, which is retried: if the service is killed while /health still reports this, the next start may apply the change`,
    { cause: known.cause ?? known, retryAfterSeconds: known.retryAfterSeconds ?? 5, members: known.members },
  );
}
