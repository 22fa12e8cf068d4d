import { sql, type Transaction } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { ClaimFilter } from './blocked-changes.ts';
import type { BeforeCommit } from './blocked-ips-store.ts';
import { BlockedRows } from './blocked-rows.ts';
import { nothingDone, type SliceOf, type SliceOutcome, together } from './bulk-slice.ts';
import { BulkSlices } from './bulk-slices.ts';
import { Generation } from './instance-store.ts';
import type { Database } from './open-database.ts';
import type { BulkState, Schema } from './schema.ts';
import { StagedBlocks } from './staged-blocks.ts';
import { StagedMerge } from './staged-merge.ts';
import { MOST_ROWS, sortStaged } from './staged-order.ts';
import type { StagedRow, StagedRows } from './staged-rows.ts';
import { StoreError } from './store-error.ts';
import { UndoRecords } from './undo-records.ts';

export type { StagedRow } from './staged-rows.ts';

export interface BulkPreview {
  /** Addresses that will be blocked. */
  adds: number;
  removes: number;
  /** Existing entries of which a field would change; counted on request, otherwise 0. */
  updates: number;
  /** Expired entries that would be blocked again; counted like `updates`. */
  renewed: number;
  /** Addresses that would lose a claim and stay blocked by others. */
  stays: number;
  /** Staged additions without effect, and removals without one. */
  unchanged: number;
  /** Staged additions to addresses that only other sources claim. */
  joins: number;
  currentTotal: number;
  /** Addresses that the source of the bulk claims, and how many of these claims a replacement would drop. */
  own: number;
  drops: number;
}

interface AppliedSlice extends Omit<SliceOutcome, 'position' | 'end' | 'steps' | 'further'> {
  /** The number of this change. */
  readonly generation: number;
  /** It was the last. */
  readonly done: boolean;
}

interface UnfinishedBulk {
  id: string;
  state: 'receiving' | 'ready';
  replace: boolean;
}

/** Within the transaction that makes a bulk change ready; false: nothing is changed. */
export type ReadyCondition = (transaction: Transaction<Schema>) => Promise<boolean>;

/** Up to this size a list needs no free space in advance. */
const SMALL_LIST = 4_096;
/** Left for single changes, a rewrite of the map file, and SQLite's log of a slice. */
const RESERVED_BYTES = 16_000_000;
/** Database and map file of 200,000 new entries without a reason: 170. */
const BYTES_PER_ENTRY = 200;
const MEGABYTE = 1_000_000;

/** Rows examined between two yields to the event loop. */
const SLICE = 8_192;
/** Rows deleted at a time: a block has 18 kB, an address to skip some forty bytes. */
const DISCARD_SLICES = { bulk_blocks: 64, bulk_skips: 2_000 } as const;
/** Rows that may change between two readings of the clock: 2 to 8 ms. */
const PIECE = 512;
/** Rows examined per row that may change: an unchanged row costs a tenth of a changed one. */
const LOOKS = 8;

interface Applying {
  readonly id: string;
  readonly merge: StagedMerge;
  /** Rows that the next piece may examine. */
  ahead: number;
}

/** The last run of a bulk being received. */
interface Tail {
  run: number;
  /** Null: unknown; then a new run begins. */
  last: Buffer | null;
}

/**
 * Bulk changes: staged as they come, applied in slices once complete, finished after a crash. One at a time is applied;
 * the next one waits in the service's queue.
 */
export class BulkStore {
  readonly #database: Database;
  readonly #rows: BlockedRows;
  readonly #blocks: StagedBlocks;
  readonly #slices: BulkSlices;
  readonly #audit: AuditRows;
  readonly #undo: UndoRecords;
  readonly #generation: Generation;
  readonly #tails = new Map<string, Tail>();
  /** The merge of the bulk being applied, kept between its slices. */
  #applying: Applying | null = null;

  constructor(database: Database) {
    this.#database = database;
    this.#rows = new BlockedRows(database.write);
    this.#blocks = new StagedBlocks(database.write);
    this.#slices = new BulkSlices({ db: database.write, rows: this.#rows, blocks: this.#blocks });
    this.#audit = new AuditRows(database.write);
    this.#undo = new UndoRecords(database.write);
    this.#generation = new Generation(database.write);
  }

  /**
   * `replace`: the source's claims to what is not staged as an addition are dropped at the end. Without a source:
   * `manual`, and removals drop the claims of agents too. Returns the bulk's id.
   */
  async begin(bulk: {
    replace: boolean;
    source?: number | null | undefined;
    /** Which claims its removals drop. From now on changes of the same claims win, not only once it is complete. */
    filter?: ClaimFilter | null | undefined;
    requestedBy?: string | null | undefined;
  }): Promise<string> {
    const { id } = await this.#database.write
      .insertInto('bulk_changes')
      .values({
        replace: bulk.replace ? 1 : 0,
        source: bulk.source ?? null,
        filter_json: bulk.filter == null ? null : JSON.stringify(bulk.filter),
        requested_by: bulk.requestedBy ?? null,
        state: 'receiving',
        position: null,
        created_at: new Date().toISOString(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return String(id);
  }

  /** Before it is complete: of a source that did not exist when it began. */
  async setSource(id: string, source: number): Promise<void> {
    await this.#database.write
      .updateTable('bulk_changes')
      .set({ source })
      .where('id', '=', Number(id))
      .where('state', '=', 'receiving')
      .execute();
  }

  /** `sorted`, then `stageSorted`, for any number of rows: a transaction per 65,536. */
  async stage(id: string, rows: readonly StagedRow[]): Promise<void> {
    for (let start = 0; start < rows.length; start += MOST_ROWS) {
      await this.stageSorted(id, await this.sorted(rows.slice(start, start + MOST_ROWS)));
    }
  }

  /**
   * Sorts rows without the database, so no request waits for it. At most 65,536; some ten thousand are right: fewer
   * make the merge longer, more delay others during `stageSorted`. Throws `StoreError` for a time in another form.
   */
  async sorted(rows: readonly StagedRow[]): Promise<StagedRows> {
    return await sortStaged(rows);
  }

  /**
   * Call before `stageSorted`. Keeps space for single changes, the map file and the rest of the list. Removals and small
   * lists need none.
   * @param additions received so far
   * @throws StoreError `full`
   */
  async requireRoom(additions: number): Promise<void> {
    if (additions <= SMALL_LIST) return;
    const needed = RESERVED_BYTES + additions * BYTES_PER_ENTRY;
    const free = await this.#database.freeBytes();
    if (free >= needed) return;
    throw new StoreError(
      'full',
      `not enough free disk space for a list of ${additions} or more entries: ${Math.ceil(needed / MEGABYTE)} MB are needed, ${Math.floor(free / MEGABYTE)} MB are free; make room or send a smaller list`,
    );
  }

  /** In one transaction. */
  async stageSorted(id: string, staged: StagedRows): Promise<void> {
    if (staged.length === 0) return;
    await this.#database.write.transaction().execute(async (transaction) => {
      await this.#expect(transaction, id, ['receiving']);
      const tail = this.#tails.get(id) ?? (await this.#findTail(transaction, id));
      // A sorted list, such as an export, is one run and needs no merging.
      const continues = tail.run > 0 && tail.last !== null && tail.last.compare(staged.key(0)) < 0;
      const run = continues ? tail.run : tail.run + 1;
      // Set before the rows are written: if that fails, the next call begins a new run, which is always correct.
      this.#tails.set(id, { run, last: null });
      await this.#blocks.write(transaction, Number(id), run, staged);
    });
    const tail = this.#tails.get(id);
    if (tail !== undefined) tail.last = Buffer.from(staged.key(staged.length - 1));
  }

  /** Whether sources other than `manual` may have claims. */
  async hasSources(): Promise<boolean> {
    return await this.#slices.hasSources(this.#database.read);
  }

  /** Addresses blocked now. */
  get currentTotal(): number {
    return this.#database.blockedCount.value;
  }

  /** Claims beyond the first of each address now. */
  get furtherClaims(): number {
    return this.#database.blockedCount.further;
  }

  /**
   * What applying would change now; claims that have ended count until they are swept. Slow, more so with `updatesAt`, the time at which updates are judged. Yields to
   * others.
   */
  async preview(id: string, { updatesAt }: { readonly updatesAt?: Date } = {}): Promise<BulkPreview> {
    const { replace, source, filter } = await this.#expect(this.#database.read, id, ['receiving', 'adding']);
    const currentTotal = this.#database.blockedCount.value;
    const now = (updatesAt ?? new Date()).toISOString();
    const thorough = updatesAt !== undefined;
    let rows = 0;
    let removals = 0;
    const sum = { present: 0, updates: 0, renewed: 0, removed: 0, stayed: 0, own: 0, alone: 0, presentRemovals: 0 };
    const merge = await StagedMerge.open(this.#blocks, this.#database.read, Number(id), null);
    for (let after: Buffer | null = null; ; await yieldToLoop()) {
      const staged = await merge.next(SLICE);
      if (staged.length === 0) break;
      const judged = await this.#slices.judge(this.#database.read, staged, { source, filter, after, now, thorough });
      for (const [name, count] of Object.entries(judged)) sum[name as keyof typeof judged] += count;
      for (let index = 0; index < staged.length; index++) if (staged.isRemoval(index)) removals++;
      rows += staged.length;
      after = Buffer.from(staged.key(staged.length - 1));
    }
    const owned = await this.#slices.countOwn(this.#database.read, source, now);
    const own = owned?.own ?? currentTotal;
    const drops = replace ? Math.max(0, own - sum.own) : 0;
    const removes = replace ? Math.max(0, (owned?.alone ?? currentTotal) - sum.alone) : sum.removed;
    const stays = replace ? Math.max(0, drops - removes) : sum.stayed;
    const adds = rows - removals - (sum.present - sum.presentRemovals);
    const { updates, renewed } = sum;
    const joins = sum.present - sum.presentRemovals - sum.own;
    const unchanged = rows - adds - updates - renewed - sum.removed - sum.stayed;
    return { updates, renewed, adds, removes, stays, unchanged, joins, currentTotal, own, drops };
  }

  /**
   * The bodies of a request's bulk changes are complete. From here on a crash finishes them, and later changes of their
   * addresses outrank them; so the audit row is written now, and what they do is recorded with it. False: `condition`
   * does not hold, and none is ready.
   */
  async markReady(ids: readonly string[], audited?: AuditedChange, condition?: ReadyCondition): Promise<boolean> {
    const now = new Date();
    const work = async (transaction: Transaction<Schema>) => {
      for (const id of ids) await this.#expect(transaction, id, ['receiving']);
      if (condition !== undefined && !(await condition(transaction))) return null;
      // If nothing is blocked, nothing needs removing: changes from now on outrank the bulk.
      const row = await transaction.selectFrom('blocked_ips').select('ip_address').limit(1).executeTakeFirst();
      for (const id of ids) {
        await this.#moveTo(transaction, id, 'adding', null);
        if (row !== undefined) continue;
        await transaction.updateTable('bulk_changes').set({ replace: 0 }).where('id', '=', Number(id)).execute();
      }
      return ids;
    };
    const ready = await auditedTransaction(this.#database, this.#audit, audited, now, work, (transaction, row) =>
      this.#record(transaction, ids, row, now),
    );
    if (ready === null) return false;
    for (const id of ids) this.#tails.delete(id);
    return true;
  }

  async #record(transaction: Transaction<Schema>, ids: readonly string[], auditId: number, now: Date): Promise<void> {
    await transaction
      .updateTable('bulk_changes')
      .set({ audit_id: auditId })
      .where('id', 'in', ids.map(Number))
      .execute();
    await transaction
      .getExecutor()
      .provideConnection((connection) => this.#undo.begin(connection, auditId, now.toISOString()));
  }

  /**
   * Applies the next slice, which changes up to `limit` rows, in one transaction with its progress, so that a crash
   * neither repeats nor skips anything. First the staged rows, then, for a replacement, the removals. When `done`,
   * `discard` frees the space. `ms`: after this time it takes no further rows; then it commits.
   */
  async applySlice(
    id: string,
    limit: number,
    now: Date,
    beforeCommit: BeforeCommit,
    ms = Number.POSITIVE_INFINITY,
  ): Promise<AppliedSlice> {
    const until = performance.now() + ms;
    try {
      const { further, ...result } = await this.#database.write.transaction().execute(async (transaction) => {
        const bulk = await this.#expect(transaction, id, ['adding', 'removing']);
        const { auditId, source, filter, requestedBy } = bulk;
        const records = auditId !== null && (await this.#undo.isOpen(transaction, auditId));
        const outcome = await this.#applyPieces(
          transaction,
          { bulk: Number(id), after: bulk.position, changes: limit, source, filter, requestedBy, records },
          { removes: bulk.state === 'removing', now, until },
        );
        if (records) await this.#undo.add(transaction, auditId, outcome.steps);
        const state = stateAfter(bulk, outcome);
        await this.#moveTo(transaction, id, state, state === bulk.state ? outcome.position : null);
        const generation = await transaction
          .getExecutor()
          .provideConnection((connection) => this.#generation.next(connection));
        await beforeCommit(outcome.net, generation);
        const { position: _position, end: _end, steps: _steps, ...counts } = outcome;
        return { ...counts, generation, done: state === 'finished' };
      });
      this.#database.blockedCount.committed(result.net, further);
      if (result.done) this.#applying = null;
      return result;
    } catch (error) {
      // The merge may have advanced although the transaction was rolled back.
      this.#applying = null;
      throw error;
    }
  }

  /** What rows cost differs by far, and only doing them tells: piece by piece until the time is over. */
  async #applyPieces(
    transaction: Transaction<Schema>,
    slice: Omit<SliceOf, 'merge' | 'reads'>,
    { removes, now, until }: { readonly removes: boolean; readonly now: Date; readonly until: number },
  ): Promise<SliceOutcome> {
    const applying = await this.#mergeAt(String(slice.bulk), slice.after);
    for (let done = nothingDone(slice.after); ; await yieldToLoop()) {
      const changes = Math.min(PIECE, slice.changes - done.worked);
      const reads = Math.min(LOOKS * changes, Math.max(changes, applying.ahead));
      const piece = { ...slice, merge: applying.merge, after: done.position, changes, reads };
      const outcome = await (removes
        ? this.#slices.remove(transaction, piece, now)
        : this.#slices.add(transaction, piece, now));
      // What is read and not reached, because enough has changed before, is read again by the next piece.
      applying.ahead = outcome.read < reads ? outcome.read : 2 * reads;
      done = together(done, outcome);
      const isFull = done.worked >= slice.changes || done.read >= LOOKS * slice.changes;
      if (done.end || isFull || performance.now() >= until) return done;
    }
  }

  /** What a crash or a failure left, oldest first. */
  async unfinished(): Promise<UnfinishedBulk[]> {
    const rows = await this.#database.read
      .selectFrom('bulk_changes')
      .select(['id', 'state', 'replace'])
      .where('state', 'in', ['receiving', 'adding', 'removing'])
      .orderBy('id')
      .execute();
    return rows.map(({ id, state, replace }) => ({
      id: String(id),
      state: state === 'receiving' ? 'receiving' : 'ready',
      replace: replace === 1,
    }));
  }

  /** Forgets a bulk, applied or not, and frees its space, in slices. Applied rows stay. */
  async discard(id: string): Promise<void> {
    await this.#end(id, 'discarded');
    await this.#database.write.deleteFrom('bulk_changes').where('id', '=', Number(id)).execute();
  }

  /**
   * Stops applying, as if complete: until `discard`, what remains records that the map file may lack the applied rows.
   * Frees its space, in slices.
   */
  async giveUp(id: string): Promise<void> {
    await this.#end(id, 'finished');
  }

  /** Durable before anything is freed: a partly applied change must not be resumed. */
  async #end(id: string, state: 'finished' | 'discarded'): Promise<void> {
    const bulk = Number(id);
    await this.#moveTo(this.#database.write, id, state, null);
    this.#tails.delete(id);
    if (this.#applying?.id === id) this.#applying = null;
    for (const table of ['bulk_blocks', 'bulk_skips'] as const) {
      const limit = DISCARD_SLICES[table];
      for (let deleted: number = limit; deleted === limit; await yieldToLoop()) {
        const result = await sql`
          delete from ${sql.table(table)} where bulk = ${bulk} limit ${limit}`.execute(this.#database.write);
        deleted = Number(result.numAffectedRows);
      }
    }
  }

  /** Frees the space of bulks that were discarded before a crash or, once the file contains them, finished. */
  async discardLeftovers(states: readonly ('finished' | 'discarded')[] = ['finished', 'discarded']): Promise<void> {
    for (const id of await this.#inState(states)) await this.discard(id);
  }

  /** Whether one was applied completely or given up, and not discarded since: the map file may lack it. */
  async anyFinished(): Promise<boolean> {
    return (await this.#inState(['finished'])).length > 0;
  }

  async #inState(states: readonly BulkState[]): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('bulk_changes')
      .select('id')
      .where('state', 'in', states)
      .execute();
    return rows.map(({ id }) => String(id));
  }

  async #expect(db: Transaction<Schema> | Database['read'], id: string, states: readonly BulkState[]) {
    const row = await db
      .selectFrom('bulk_changes')
      .select(['state', 'position', 'replace', 'source', 'filter_json', 'audit_id', 'requested_by'])
      .where('id', '=', Number(id))
      .executeTakeFirst();
    if (row === undefined) throw new Error(`there is no bulk change ${id}`);
    if (!states.includes(row.state)) {
      throw new Error(`the bulk change ${id} is ${row.state}, not ${states.join(' or ')}`);
    }
    return {
      state: row.state,
      position: row.position,
      replace: row.replace === 1,
      source: row.source,
      filter: row.filter_json === null ? null : (JSON.parse(row.filter_json) as ClaimFilter),
      requestedBy: row.requested_by,
      auditId: row.audit_id,
    };
  }

  async #moveTo(db: Database['write'], id: string, state: BulkState, position: Buffer | null): Promise<void> {
    await db.updateTable('bulk_changes').set({ state, position }).where('id', '=', Number(id)).execute();
  }

  async #findTail(transaction: Transaction<Schema>, id: string): Promise<Tail> {
    const runs = await this.#blocks.runs(transaction, Number(id));
    return { run: runs.at(-1) ?? 0, last: null };
  }

  /** Reads outside the transaction: staged rows no longer change. */
  async #mergeAt(id: string, position: Buffer | null): Promise<Applying> {
    const known = this.#applying;
    if (known?.id === id && known.merge.standsAfter(position)) return known;
    this.#applying = null;
    const merge = await StagedMerge.open(this.#blocks, this.#database.read, Number(id), position);
    this.#applying = { id, merge, ahead: known?.id === id ? known.ahead : 0 };
    return this.#applying;
  }
}

function stateAfter(bulk: { state: BulkState; replace: boolean }, outcome: SliceOutcome): BulkState {
  if (!outcome.end) return bulk.state;
  return bulk.state === 'adding' && bulk.replace ? 'removing' : 'finished';
}
