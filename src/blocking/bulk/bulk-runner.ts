// Bulk changes are staged, then applied in slices between which other changes run; a crash does not stop them. The file
// is rewritten and every worker's map is read back at the end.

import { Mutex } from '../../concurrency/mutex.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { AuditedChange } from '../../store/audit-rows.ts';
import type { ClaimFilter } from '../../store/blocked-changes.ts';
import type { BulkStore, ReadyCondition, StagedRow } from '../../store/bulk-store.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { type ChangeCounts, nothingChanged } from '../answers.ts';
import type { Reconciler } from '../compare/reconciler.ts';
import type { NamedSource } from '../sources.ts';
import { changeFailure, stored } from '../write/change-failure.ts';
import type { EntryLimit } from '../write/entry-limit.ts';
import type { MapFileKeeper } from '../write/map-file-keeper.ts';
import { BulkGuard, type Guarded } from './bulk-guard.ts';
import { Receiving } from './bulk-receiving.ts';
import { type BulkVerdict, BulkWorkers, type BulkWorkersDeps, listedFailures } from './bulk-workers.ts';
import { SliceSize } from './slice-size.ts';

export interface BulkResult extends BulkVerdict, ChangeCounts {}

/** An urgent change may wait for two of them. Of the time the commit, and the workers, take what the rows leave. */
const sliceLimits = { targetMs: 25, rowsMs: 12, first: 1_000, least: 250, most: 3_000 } as const;
const startSlice = 5_000;
const retryMs = 500;
/** Stored so far; workers may lack some of it, and the file lacks all of it. */
interface BulkUnderWay {
  readonly added: number;
  readonly removed: number;
}

export interface BulkOptions extends Guarded {
  /** The `blocked_by` of new entries without one. */
  readonly requestedBy: string | null;
  readonly dryRun?: boolean;
  /** Which claims its removals drop; what is changed while the rows are read then stays as it is. */
  readonly filter?: ClaimFilter | undefined;
  /** Creates the source if it is new; called before anything is applied. Absent: it exists. */
  readonly ensureSource?: () => Promise<NamedSource | undefined>;
  /** The audit row, written once all entries are received. */
  readonly audited?: (entries: number) => AuditedChange;
  /** Decides, once it is this change's turn, whether it is made at all. */
  readonly condition?: ReadyCondition;
}

/** One of the bulk changes of a request: they have one audit row, and a crash applies all of them or none. */
export type BulkPart = Omit<BulkOptions, 'audited' | 'dryRun' | 'ensureSource' | 'condition'>;

interface Received {
  readonly id: string;
  readonly entries: number;
  readonly options: BulkOptions;
}

/** Rows of the part with this index. */
export interface PartRows {
  readonly part: number;
  readonly rows: readonly StagedRow[];
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

type Rows = AsyncIterable<readonly StagedRow[]> | readonly (readonly StagedRow[])[];

interface Sending {
  last: Promise<void>;
}

interface BulkRunnerDeps extends BulkWorkersDeps {
  readonly bulk: BulkStore;
  readonly keeper: MapFileKeeper;
  readonly reconciler: Pick<Reconciler, 'pause'>;
  readonly now: () => Date;
  readonly log: Log;
  readonly limit: EntryLimit;
}

export class BulkRunner {
  readonly #deps: BulkRunnerDeps;
  readonly #guard: BulkGuard;
  /** Ended but not discarded: the database failed, or the file lacks what was stored. */
  readonly #failed = new Set<string>();
  #retry: NodeJS.Timeout | null = null;
  #stopped = false;
  /** Ended, but the file lacks what was stored; the record in the database tells the next start so. */
  readonly #finished = new Set<string>();
  /** Partly stored, and not in the file. */
  readonly #committed = new Set<string>();
  #underWay: { added: number; removed: number } | null = null;
  readonly #mutex = new Mutex();

  constructor(deps: BulkRunnerDeps) {
    this.#deps = deps;
    this.#guard = new BulkGuard({ bulk: deps.bulk, limit: deps.limit });
  }

  /**
   * The source is read completely first; if it throws, nothing changed.
   * @throws ServiceError 409 when the entry limit would be exceeded, or a shrink by more than half is not allowed
   */
  async run(source: Rows, options: BulkOptions): Promise<BulkResult> {
    // What it selects must not be changed by another bulk change before it is dropped.
    if (options.filter !== undefined) {
      return await this.#mutex.run(
        async () => await this.#finish(await this.#received([options], onlyPart(source)), options),
      );
    }
    const received = await this.#received([options], onlyPart(source));
    return await this.#mutex.run(() => this.#finish(received, options));
  }

  /**
   * One after the other, without another bulk change in between. `rows` is read completely before anything is changed; a
   * crash after that does not stop them. The caller has checked the limit: of each alone it could refuse what fits together.
   */
  async runTogether(
    parts: readonly BulkPart[],
    rows: AsyncIterable<PartRows>,
    options: Pick<BulkOptions, 'audited'>,
  ): Promise<BulkResult> {
    return await this.#mutex.run(async () => await this.#finish(await this.#received(parts, rows), options, false));
  }

  async #received(parts: readonly BulkPart[], rows: AsyncIterable<PartRows>): Promise<readonly Received[]> {
    const begun: Receiving[] = [];
    try {
      // All of them first: what is changed from now on wins over each.
      for (const part of parts) {
        const { replace, requestedBy, source: of, filter } = part;
        const id = await stored(() => this.#deps.bulk.begin({ replace, requestedBy, source: of?.id, filter }));
        begun.push(new Receiving({ id, bulk: this.#deps.bulk, turns: this.#deps.turns }));
        crashPoint('bulk.begun');
      }
      for await (const { part, rows: some } of rows) await begun[part]!.receive(some);
      for (const receiving of begun) await receiving.end();
      return begun.map(({ id, entries }, index) => ({ id, entries, options: parts[index]! }));
    } catch (error) {
      for (const { id } of begun) await this.#end(id);
      throw error;
    }
  }

  async #finish(
    parts: readonly Received[],
    {
      audited,
      condition,
      ensureSource,
      dryRun,
    }: Pick<BulkOptions, 'audited' | 'condition' | 'ensureSource' | 'dryRun'>,
    guarded = true,
  ): Promise<BulkResult> {
    const ids = parts.map(({ id }) => id);
    try {
      if (dryRun === true) return await this.#preview(parts[0]!);
      await this.#forgetFailed();
      await this.#deps.keeper.adoptForeignRows();
      if (guarded) {
        for (const { id, entries, options } of parts) await stored(() => this.#guard.refuse(id, entries, options));
      }
      crashPoint('bulk.received');
      const claimant = await ensureSource?.();
      if (claimant !== undefined) {
        for (const id of ids) await stored(() => this.#deps.bulk.setSource(id, claimant.id));
      }
      const entries = parts.reduce((sum, part) => sum + part.entries, 0);
      const isReady = () => this.#deps.bulk.markReady(ids, audited?.(entries), condition);
      if (!(await stored(isReady))) throw new NotMade();
      crashPoint('bulk.ready');
    } catch (error) {
      for (const id of ids) await this.#end(id);
      throw error;
    }
    let done: BulkResult = { ...nothingChanged, failures: [], failuresTotal: 0, currentFailed: false };
    for (const [index, id] of ids.entries()) {
      const totals = { ...nothingChanged };
      try {
        done = together(done, await this.#apply(id, totals));
      } catch (error) {
        throw await this.#failedPart(ids.slice(index), changeFailure(error, sumOf(done, totals)));
      }
    }
    return done;
  }

  /** @param rest the failed one, and those after it */
  async #failedPart(rest: readonly string[], failure: ServiceError): Promise<ServiceError> {
    // The client gets the failure; finishing at the next start would overwrite later changes.
    for (const id of rest) this.#failed.add(id);
    this.#tryAgain();
    let ended = true;
    for (const id of rest) {
      // A change that only the file lacks overwrites nothing; the next start needs its record to write the file.
      if (!this.#finished.has(id) && !(await this.#end(id))) ended = false;
    }
    return ended ? failure : mayStillBeApplied(failure);
  }

  /** Drops all claims of the source. Null: the condition does not hold. */
  async drop(source: NamedSource, condition: ReadyCondition, audited: AuditedChange): Promise<BulkResult | null> {
    const how = { replace: true, allowShrink: true, requestedBy: source.name, source, condition };
    try {
      return await this.run([], { ...how, audited: () => audited });
    } catch (error) {
      if (error instanceof NotMade) return null;
      throw error;
    }
  }

  /** From the first slice until every worker is verified. */
  get underWay(): BulkUnderWay | null {
    return this.#underWay;
  }

  /** Staged rows of an ended bulk change that a start after a crash could still apply; null: none. */
  get problem(): string | null {
    for (const id of this.#failed) {
      if (!this.#finished.has(id)) return 'could not discard the staged rows of a failed bulk change; retrying';
    }
    return null;
  }

  stop(): void {
    this.#stopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
  }

  /** Runs `work` while no bulk change is being applied; half-applied, it would look like drift. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(work);
  }

  /**
   * Call after a crash, before the file is written. True: one was finished, so the file may hold far more than the
   * database; call `forgetFinished` once the file is written.
   */
  async finishInterrupted(): Promise<boolean> {
    for (const { id, state } of await this.#deps.bulk.unfinished()) {
      if (state === 'ready') {
        this.#deps.log.warn('Finishing a bulk change that a crash interrupted', { bulk: id });
        for (;;) {
          const slice = await this.#deps.bulk.applySlice(id, startSlice, this.#deps.now(), () => undefined);
          crashPoint('bulk.finished-slice-at-start');
          if (slice.done) break;
        }
      } else await this.#deps.bulk.discard(id);
    }
    await this.#deps.bulk.discardLeftovers(['discarded']);
    return await this.#deps.bulk.anyFinished();
  }

  /** Call when the file is written; later shrinks need confirmation again. */
  async forgetFinished(): Promise<void> {
    await this.#deps.bulk.discardLeftovers();
  }

  async #preview({ id, entries, options }: Received): Promise<BulkResult> {
    await stored(() => this.#guard.refuse(id, entries, options));
    const now = this.#deps.now();
    const preview = await stored(() => this.#deps.bulk.preview(id, { updatesAt: now }));
    const { adds, removes, updates, renewed, unchanged, stays } = preview;
    await this.#end(id);
    const still = stays === 0 ? {} : { still_claimed_total: stays };
    const counts = { added: adds + renewed, updated: updates, removed: removes, unchanged, ...still };
    return { ...counts, failures: [], failuresTotal: 0, currentFailed: false };
  }

  async #apply(id: string, totals: Mutable<ChangeCounts>): Promise<BulkResult> {
    const release = this.#deps.reconciler.pause();
    const shrunk = this.#deps.keeper.grantShrink();
    const ended = this.#deps.registry.bulkChangeBegins();
    this.#underWay = totals;
    let compared = false;
    try {
      const workers = await BulkWorkers.reach(this.#deps);
      const sample: string[] = [];
      const size = new SliceSize(sliceLimits);
      const sending: Sending = { last: Promise.resolve() };
      for (let done = false; !done; ) {
        let removed: readonly string[] = [];
        done = await this.#deps.turns.take(
          'bulk',
          async () => {
            const began = performance.now();
            const slice = await this.#applySlice(id, size.rows, workers, sending, totals);
            size.took(performance.now() - began, slice.worked);
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
      // The shrink was confirmed before the first slice; asking again would stop a half-applied change.
      if (this.#committed.has(id) || this.#deps.keeper.problem !== null)
        await this.#deps.keeper.updateBlockedIpsMap({ acceptShrink: true });
      this.#committed.delete(id);
      crashPoint('bulk.file-written');
      // Not earlier: a start after a crash needs the record to know that the much larger file may be overwritten.
      this.#finished.delete(id);
      await this.#end(id);
      crashPoint('bulk.discarded');
      const verdict = await workers.verdict(sample, totals.added + totals.removed);
      compared = true;
      return { ...totals, ...verdict };
    } finally {
      // The file lacks committed lines, and no later change would notice.
      if (this.#committed.has(id))
        this.#deps.keeper.markStale('a bulk change was stored but not written to the file', { acceptShrink: true });
      shrunk();
      if (!compared)
        this.#deps.registry.markAllSuspect(
          'blocked',
          'a bulk change ended before the workers were compared',
          'unverified',
        );
      ended();
      this.#underWay = null;
      release();
    }
  }

  /** Inside a turn. Additions are sent after it, while the next slice is written; other owners' turns wait for that. */
  async #applySlice(id: string, rows: number, workers: BulkWorkers, sending: Sending, totals: Mutable<ChangeCounts>) {
    let end = (): void => undefined;
    let leaves = false;
    try {
      const slice = await this.#deps.bulk.applySlice(
        id,
        rows,
        this.#deps.now(),
        (net) => {
          end = this.#deps.windows.begin([...net.added, ...net.removed]);
          crashPoint('bulk.slice-before-commit');
        },
        sliceLimits.rowsMs,
      );
      crashPoint('bulk.slice-committed');
      if (slice.net.added.length + slice.net.removed.length > 0) this.#committed.add(id);
      // In the same turn, so that a comparison sees both.
      this.#deps.keeper.noteCommitted(slice.net);
      await this.#deps.keeper.noteGeneration(slice.generation);
      totals.added += slice.net.added.length + slice.renewed;
      totals.updated += slice.updated;
      totals.removed += slice.net.removed.length;
      totals.unchanged += slice.unchanged;
      if (slice.stayed > 0) totals.still_claimed_total = (totals.still_claimed_total ?? 0) + slice.stayed;
      await sending.last;
      if (slice.net.added.length === 0) return slice;
      leaves = true;
      sending.last = workers.add(slice.net.added).finally(end);
      this.#deps.turns.leave(sending, sending.last);
      return slice;
    } finally {
      if (!leaves) end();
    }
  }

  async #forgetFailed(): Promise<void> {
    for (const id of this.#failed) await stored(() => this.#forget(id));
  }

  /** A change that the file still lacks keeps its permission to shrink the file. */
  async #forget(id: string): Promise<void> {
    const lacking = this.#finished.has(id) || this.#committed.has(id);
    if (lacking && this.#deps.keeper.problem !== null) {
      if (!this.#finished.has(id)) await this.#deps.bulk.giveUp(id);
      this.#finished.add(id);
      return;
    }
    await this.#deps.bulk.discard(id);
    for (const ids of [this.#failed, this.#finished, this.#committed]) ids.delete(id);
  }

  /** False: the database failed, so a start after a crash would apply the abandoned change. */
  async #end(id: string): Promise<boolean> {
    try {
      await this.#forget(id);
      return true;
    } catch (error) {
      this.#deps.log.error('Could not discard the staged rows of a failed bulk change; retrying', {
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
            if (untaken !== null) this.#deps.log.info('Staged rows of failed bulk changes were discarded');
            if (this.#failed.size > 0) this.#tryAgain();
          },
          // Already logged, and reported by `/health`.
          () => this.#tryAgain(),
        );
    }, retryMs);
    this.#retry.unref();
  }
}

class NotMade extends Error {}

async function* onlyPart(source: Rows): AsyncGenerator<PartRows> {
  for await (const rows of source) yield { part: 0, rows };
}

export function sumOf(a: ChangeCounts, b: ChangeCounts): ChangeCounts {
  const still = (a.still_claimed_total ?? 0) + (b.still_claimed_total ?? 0);
  return {
    added: a.added + b.added,
    updated: a.updated + b.updated,
    removed: a.removed + b.removed,
    unchanged: a.unchanged + b.unchanged,
    ...(still > 0 && { still_claimed_total: still }),
  };
}

function together(a: BulkResult, b: BulkResult): BulkResult {
  return {
    ...sumOf(a, b),
    failures: [...a.failures, ...b.failures].slice(0, listedFailures),
    failuresTotal: a.failuresTotal + b.failuresTotal,
    currentFailed: a.currentFailed || b.currentFailed,
  };
}

/** The error if the staged rows could not be discarded either. */
function mayStillBeApplied(known: ServiceError): ServiceError {
  return new ServiceError(
    known.code,
    known.op,
    `${known.detail}; its staged rows could not be discarded yet, and the service retries. If it is killed while /health still reports this, the next start may apply the change`,
    { cause: known.cause ?? known, retryAfterSeconds: known.retryAfterSeconds ?? 5, members: known.members },
  );
}
