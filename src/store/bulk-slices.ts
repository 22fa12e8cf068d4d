import type { Kysely } from 'kysely';
import type { BlockedIp } from '../api/blocked-ips.ts';
import { entryOfSortKey } from '../domain/ip.ts';
import { isExpired, type NetChange, rowAfterAdd, rowInForce } from './blocked-changes.ts';
import { BlockedKeys, presentAmong } from './blocked-keys.ts';
import type { BlockedRows, RowChanges } from './blocked-rows.ts';
import { adoptedRow } from './foreign-rows.ts';
import type { Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import type { StagedBlocks } from './staged-blocks.ts';
import type { StagedMerge } from './staged-merge.ts';
import { KEY_BYTES, type StagedRows } from './staged-rows.ts';

const BEFORE_ALL = Buffer.alloc(0);
const NONE: ReadonlySet<string> = new Set();
const NO_TABLE_ROWS: ReadonlyMap<string, BlockedIp> = new Map();
/** Keys read per staged row: where the table is denser, lookups cost less than reading past the rest. */
const KEYS_PER_ROW = 4;

interface SliceOf {
  readonly bulk: number;
  readonly merge: StagedMerge;
  readonly after: Buffer | null;
  /** Rows that it may change, and as many that it may read to compare them. */
  readonly changes: number;
  /** Rows that it may examine. */
  readonly reads: number;
  /** The `blocked_by` of new entries without one. */
  readonly requestedBy: string | null;
}

export interface SliceOutcome {
  readonly net: NetChange;
  /** Existing rows of which a field changed. */
  readonly updated: number;
  /** Expired rows that are blocked again: they count as added. */
  readonly renewed: number;
  readonly unchanged: number;
  readonly read: number;
  /** How many cost more than a key comparison: changed, or looked up, whichever are more. */
  readonly worked: number;
  /** Everything up to here is done. */
  readonly position: Buffer | null;
  /** This part is complete. */
  readonly end: boolean;
}

/** What the table contains for the first rows of a slice. */
interface Known {
  /** How many; the others are left to the next slice. */
  readonly count: number;
  /** How many were looked up one by one. */
  readonly lookedUp: number;
  /** 1: the row is blocked. */
  readonly present: Uint8Array;
  /** By address, for rows that need more than a key comparison. */
  readonly rows: ReadonlyMap<string, BlockedIp>;
  /** Expired addresses: an addition to them is a new row. */
  readonly over: ReadonlySet<string>;
  /** Foreign rows: they do not block yet, but their fields count. */
  readonly byHand: ReadonlyMap<string, BlockedIp>;
}

interface BulkSlicesDeps {
  readonly db: Kysely<Schema>;
  readonly rows: BlockedRows;
  readonly blocks: StagedBlocks;
}

/** The two parts of applying a bulk change, in slices, within the caller's transaction. */
export class BulkSlices {
  readonly #deps: BulkSlicesDeps;
  readonly #keys: BlockedKeys;

  constructor(deps: BulkSlicesDeps) {
    this.#deps = deps;
    this.#keys = new BlockedKeys(deps.db);
  }

  /** Which of these rows (all those staged after `after` up to the last) are blocked: 1 at their index. */
  async present(runner: Runner, staged: StagedRows, after: Buffer | null): Promise<Uint8Array> {
    const present = await this.#presentByKeys(runner, staged, after);
    return present ?? presentIn(await this.#deps.rows.keyedAmong(runner, textsOf(staged)), staged);
  }

  /**
   * For how many of these rows (all those staged after `after`, `present` from the method `present`) a field would
   * change at `now`, and how many would be blocked again after expiry.
   */
  async countUpdates(
    runner: Runner,
    staged: StagedRows,
    { present, after, now }: { readonly present: Uint8Array; readonly after: Buffer | null; readonly now: string },
  ): Promise<{ updates: number; renewed: number }> {
    const over = await this.#over(runner, staged, after, now);
    const compared: number[] = [];
    let renewed = 0;
    for (let index = 0; index < staged.length; index++) {
      if (present[index] !== 1 || staged.isRemoval(index)) continue;
      if (isOver(over, staged, index)) renewed++;
      else if (!staged.isBare(index)) compared.push(index);
    }
    const rows = await this.#deps.rows.getMany(
      runner,
      compared.map((index) => staged.text(index)),
    );
    const updates = compared.filter((index) => {
      const existing = rows.get(staged.text(index));
      return existing !== undefined && rowAfterAdd(existing, staged.addition(index), now) !== existing;
    }).length;
    return { updates, renewed };
  }

  async add(runner: Runner, slice: SliceOf, now: Date): Promise<SliceOutcome> {
    const staged = await slice.merge.next(slice.reads);
    const blockedAt = now.toISOString();
    const { count, lookedUp, present, rows, over, byHand } = await this.#known(runner, staged, slice, blockedAt);
    const skips = await this.#skips(runner, slice, count === 0 ? null : staged.key(count - 1));
    const changes: RowChanges = { inserts: [], updates: [], deletes: [] };
    const removed: string[] = [];
    let changed = 0;
    let renewed = 0;
    let index = 0;
    for (; index < count && changed < slice.changes; index++) {
      const exists = present[index] === 1;
      if (exists ? staged.isBare(index) && !isOver(over, staged, index) : staged.isRemoval(index) && byHand.size === 0)
        continue;
      const text = staged.text(index);
      if (skips.has(text)) continue;
      const inserted = exists ? undefined : byHand.get(text);
      // Deleted and inserted again: an insert never replaces an existing row, it fails.
      if (inserted !== undefined) changes.deletes.push(text);
      if (staged.isRemoval(index)) {
        if (exists) {
          changes.deletes.push(text);
          removed.push(text);
        } else if (inserted === undefined) continue;
      } else {
        const existing = inserted ?? (exists ? (rows.get(text) ?? null) : null);
        const addition = { ...staged.addition(index, text), defaultBlockedBy: slice.requestedBy ?? undefined };
        const row = rowAfterAdd(rowInForce(existing, blockedAt), addition, blockedAt);
        if (!exists) changes.inserts.push({ key: staged.key(index), row });
        else if (row === existing) continue;
        else {
          changes.updates.push(row);
          if (over.has(text)) renewed++;
        }
      }
      changed++;
    }
    const position = index === 0 ? slice.after : Buffer.from(staged.key(index - 1));
    if (index < staged.length && position !== null) slice.merge.putBack(staged, index, position);
    await this.#deps.rows.write(runner, changes);
    const net = { added: changes.inserts.map(({ row }) => row.ip_address), removed };
    const updated = changes.updates.length - renewed;
    const unchanged = index - net.added.length - net.removed.length - changes.updates.length;
    const worked = Math.max(changed, lookedUp);
    return { net, updated, renewed, unchanged, read: index, worked, position, end: slice.merge.isOver };
  }

  /** Removes those of the next blocked addresses that were not staged as additions. */
  async remove(runner: Runner, slice: SliceOf): Promise<SliceOutcome> {
    const keys = await this.#keys.between(runner, slice.after, null, slice.reads);
    let read = keys.length / KEY_BYTES;
    if (read === 0) {
      const net = { added: [], removed: [] };
      return { net, updated: 0, renewed: 0, unchanged: 0, read, worked: 0, position: slice.after, end: true };
    }
    let position = Buffer.from(keys.subarray(-KEY_BYTES));
    const staged = await slice.merge.nextUpTo(position);
    // A staged removal that still exists was blocked again since: it stays too.
    const keeps = presentAmong(keys, staged.keys);
    let end = read < slice.reads;
    const deletes: string[] = [];
    if (keeps.includes(0)) {
      const skips = await this.#skips(runner, slice, position);
      for (let place = keeps.indexOf(0); place >= 0; place = keeps.indexOf(0, place + 1)) {
        if (deletes.length === slice.changes) {
          read = place;
          position = Buffer.from(keys.subarray((place - 1) * KEY_BYTES, place * KEY_BYTES));
          end = false;
          slice.merge.putBack(staged, staged.countUpTo(position), position);
          break;
        }
        const { text } = entryOfSortKey(keys, place * KEY_BYTES);
        if (!skips.has(text)) deletes.push(text);
      }
    }
    await this.#deps.rows.write(runner, { inserts: [], updates: [], deletes });
    const net = { added: [], removed: deletes };
    return { net, updated: 0, renewed: 0, unchanged: 0, read, worked: deletes.length, position, end };
  }

  /** Null: the table is too dense there. */
  async #presentByKeys(runner: Runner, staged: StagedRows, after: Buffer | null): Promise<Uint8Array | null> {
    if (staged.length === 0) return new Uint8Array(0);
    const limit = KEYS_PER_ROW * staged.length;
    const others = await this.#keys.between(runner, after, staged.key(staged.length - 1), limit);
    return others.length < limit * KEY_BYTES ? presentAmong(staged.keys, others) : null;
  }

  /** A row costs ten times its key: reads no more rows than may change, and puts the others back. */
  async #known(runner: Runner, staged: StagedRows, slice: SliceOf, now: string): Promise<Known> {
    const byKeys = await this.#presentByKeys(runner, staged, slice.after);
    const looksCloser = await this.#deps.rows.hasUnkeyed(runner);
    if (byKeys === null) {
      const few = staged.slice(0, slice.changes);
      const texts = textsOf(few);
      const rows = await this.#deps.rows.keyedAmong(runner, texts);
      const byHand = looksCloser ? await this.#byHand(runner, texts, now) : NO_TABLE_ROWS;
      const over = new Set([...rows.values()].filter((row) => isExpired(row, now)).map((row) => row.ip_address));
      return { count: few.length, lookedUp: few.length, present: presentIn(rows, few), rows, over, byHand };
    }
    const over = await this.#over(runner, staged, slice.after, now);
    const compared: string[] = [];
    const absent: string[] = [];
    let count = 0;
    for (; count < staged.length; count++) {
      const isThere = byKeys[count] === 1;
      // A bare address does not change an existing entry, and most rows are bare.
      const stays = staged.isRemoval(count) || (staged.isBare(count) && !isOver(over, staged, count));
      if (isThere ? stays : !looksCloser) continue;
      if (compared.length + absent.length === slice.changes) break;
      (isThere ? compared : absent).push(staged.text(count));
    }
    const rows = await this.#deps.rows.getMany(runner, compared);
    const byHand = absent.length > 0 ? await this.#byHand(runner, absent, now) : NO_TABLE_ROWS;
    return { count, lookedUp: compared.length + absent.length, present: byKeys, rows, over, byHand };
  }

  /** The expired ones of these rows (all those staged after `after`, and others between them). */
  async #over(runner: Runner, staged: StagedRows, after: Buffer | null, now: string): Promise<ReadonlySet<string>> {
    if (staged.length === 0) return NONE;
    return await this.#deps.rows.overBetween(runner, after, staged.key(staged.length - 1), now);
  }

  async #byHand(runner: Runner, texts: readonly string[], now: string): Promise<ReadonlyMap<string, BlockedIp>> {
    const rows = [...(await this.#deps.rows.foreignAmong(runner, texts)).values()];
    return new Map(rows.map((row) => [row.ip_address, adoptedRow(row, now)]));
  }

  async #skips(runner: Runner, slice: SliceOf, position: Buffer | null): Promise<Set<string>> {
    if (position === null) return new Set();
    return await this.#deps.blocks.skips(runner, slice.bulk, slice.after ?? BEFORE_ALL, position);
  }
}

/** Usually nothing has expired, and no text has to be made. */
function isOver(over: ReadonlySet<string>, staged: StagedRows, index: number): boolean {
  return over.size > 0 && over.has(staged.text(index));
}

function textsOf(staged: StagedRows): string[] {
  return Array.from({ length: staged.length }, (_, index) => staged.text(index));
}

function presentIn(rows: ReadonlyMap<string, BlockedIp>, staged: StagedRows): Uint8Array {
  return Uint8Array.from(textsOf(staged), (text) => (rows.has(text) ? 1 : 0));
}
