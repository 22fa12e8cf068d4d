// Big changes: the whole set, or many addresses. They come into a staging table first, are applied only when all of
// them came, in slices between which other changes go first, and are finished after a crash. Each slice is committed
// and sent to the workers; at the end the file is rewritten and every worker's whole map is the read-back.

import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { crashPoint } from '../faults/crash-point.ts';
import type { AuditedChange } from '../store/audit-rows.ts';
import type { BulkStore, StagedRow } from '../store/bulk-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { type BulkVerdict, BulkWorkers, type BulkWorkersParts, listedFailures } from './bulk-workers.ts';
import type { ChangeWindows } from './change-windows.ts';
import { asServiceError } from './durable-commit.ts';
import type { MapFileKeeper } from './map-file-keeper.ts';
import type { Reconciler } from './reconciler.ts';
import { SliceLimits } from './slice-size.ts';
import type { TurnQueue } from './turn-queue.ts';

export interface BulkResult extends BulkVerdict {
  readonly added: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** Writing them takes some 5 ms, 20 where all have reasons; each is a run for the merge that follows. */
const stageSlice = 16_384;
/** An urgent change waits for one slice, and its own turn follows; nobody waits for those of a start. */
const sliceTargetMs = 25;
const changesOfSlice = { first: 1_000, least: 250, most: 3_000 };
/** What stays as it is costs a tenth. */
const looksOfSlice = { first: 8_000, least: 1_000, most: 32_000 };
const startSlice = 5_000;
/** Until the database takes what it refused. */
const retryMs = 500;
/** From here up a replacement that drops more than half needs `allow_shrink`. */
const shrinkGuardFrom = 100;

/** What the last slice of one big change added is on its way to the workers. */
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
  /** What the database did not let go of: of one that failed a crash now would apply the rest, against what its caller was told. */
  readonly #failed = new Set<string>();
  #retry: NodeJS.Timeout | null = null;
  #stopped = false;
  /** Applied to the last slice, and not yet in the file. */
  readonly #finished = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    options: BulkWorkersParts & {
      readonly bulk: BulkStore;
      readonly keeper: MapFileKeeper;
      readonly reconciler: Pick<Reconciler, 'pause'>;
      readonly now: () => Date;
      readonly log: Log;
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
  }

  /**
   * Receives and applies one big change. The source is read to its end first; if it throws, nothing changed.
   * @throws ServiceError 409 when a replacement would drop more than half and `allowShrink` is not set
   */
  async run(
    source: AsyncIterable<readonly StagedRow[]>,
    options: {
      readonly replace: boolean;
      readonly allowShrink: boolean;
      readonly requestedBy: string;
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
      await this.#discard(id);
      throw error;
    }
    return await this.#alone(async () => {
      try {
        await this.#forgetFailed();
        await this.#keeper.adoptForeignRows();
        if (options.replace && !options.allowShrink) await this.#refuseShrink(id);
        crashPoint('bulk.received');
        await this.#stored(() => this.#bulk.markReady(id, options.audited?.(entries)));
        crashPoint('bulk.ready');
      } catch (error) {
        await this.#discard(id);
        throw error;
      }
      try {
        return await this.#apply(id);
      } catch (error) {
        // Its caller was told; finished at the next start it would overrule whatever came after it.
        this.#failed.add(id);
        // One that only the file lacks has nothing left to overrule, and a start that writes the file asks for it.
        if (!this.#finished.has(id)) await this.#discard(id);
        throw error;
      }
    });
  }

  /** What is staged of a big change that has ended and may still be applied by the start after a crash; null: nothing. */
  get problem(): string | null {
    for (const id of this.#failed) {
      if (!this.#finished.has(id))
        return 'what is staged of a big change that has ended could not be taken back yet; it is tried again';
    }
    return null;
  }

  /** What could not be taken back by now is tried no more. */
  stop(): void {
    this.#stopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
  }

  /**
   * When no big change is being applied; the next one waits. For work to which a big change half applied would look
   * like a map that is wrong.
   */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone(work);
  }

  /**
   * After a crash: what had come whole is finished in the database, what had not is forgotten. Before the file
   * is written. True: something was finished, now or before, and the file may hold far more than the database does now;
   * `forgetFinished` is to be called when the file was written.
   */
  async finishInterrupted(): Promise<boolean> {
    for (const { id, state } of await this.#bulk.unfinished()) {
      if (state === 'ready') {
        this.#log.warn('A big change that a crash interrupted is finished', { bulk: id });
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
      // Nobody waits while they are sorted.
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
      const workers = await BulkWorkers.reach(this.#parts);
      const totals = { added: 0, removed: 0, unchanged: 0 };
      const sample: string[] = [];
      const limits = new SliceLimits({ targetMs: sliceTargetMs, changes: changesOfSlice, looks: looksOfSlice });
      const sending: Sending = { last: Promise.resolve() };
      for (let done = false; !done; ) {
        let removed: readonly string[] = [];
        done = await this.#turns.take(
          'bulk',
          async () => {
            const began = performance.now();
            const slice = await this.#applySlice(id, limits, workers, sending, () => {
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
        await workers.remove(removed);
        crashPoint('bulk.slice-sent');
      }
      await sending.last;
      crashPoint('bulk.applied');
      this.#finished.add(id);
      // How much of the set goes was asked before it was applied; asked again it would be refused half done.
      if (committed || this.#keeper.problem !== null) await this.#keeper.updateBlockedIpsMap({ acceptShrink: true });
      written = true;
      crashPoint('bulk.file-written');
      // Not before: a start after a crash learns from it that the file, which holds far more, may be written.
      this.#finished.delete(id);
      await this.#discard(id);
      crashPoint('bulk.discarded');
      return { ...totals, ...(await workers.verdict(sample, totals.added + totals.removed)) };
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
    workers: BulkWorkers,
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
            crashPoint('bulk.slice-before-commit');
          },
          looks,
        ),
      );
      crashPoint('bulk.slice-committed');
      if (slice.net.added.length + slice.net.removed.length > 0) onCommitted();
      this.#keeper.noteCommitted(slice.net);
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
    for (const id of this.#failed) {
      if (this.#finished.has(id) && this.#keeper.problem !== null) continue;
      await this.#stored(() => this.#bulk.discard(id));
      this.#failed.delete(id);
      this.#finished.delete(id);
    }
  }

  async #discard(id: string): Promise<void> {
    try {
      await this.#bulk.discard(id);
      this.#failed.delete(id);
    } catch (error) {
      this.#log.error('What is staged of a big change that has ended could not be taken back; it is tried again', {
        bulk: id,
        cause: causeText(error),
      });
      this.#failed.add(id);
      this.#tryAgain();
    }
  }

  #tryAgain(): void {
    if (this.#retry !== null || this.#stopped) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#alone(() => this.#forgetFailed()).then(
        () => this.#log.info('What was staged of big changes that have ended is taken back'),
        // Told when it failed first, and by `/health` all the time.
        () => this.#tryAgain(),
      );
    }, retryMs);
    this.#retry.unref();
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
