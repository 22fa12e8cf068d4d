import type { Kysely } from 'kysely';
import { entryOfSortKey } from '../domain/ip.ts';
import { type BlockedIpRow, type NetChange, rowAfterAdd } from './blocked-changes.ts';
import { BlockedKeys, presentAmong } from './blocked-keys.ts';
import type { BlockedRows, RowChanges } from './blocked-rows.ts';
import type { Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import type { StagedBlocks } from './staged-blocks.ts';
import type { StagedMerge } from './staged-merge.ts';
import { KEY_BYTES, type StagedRows } from './staged-rows.ts';

const BEFORE_ALL = Buffer.alloc(0);
/** Keys read for one staged row: where the table is denser than that, look-ups are cheaper than reading past the rest. */
const KEYS_PER_ROW = 4;

/** A slice of a bulk: which, and where it goes on. */
export interface SliceOf {
  readonly bulk: number;
  readonly merge: StagedMerge;
  readonly after: Buffer | null;
  /** Rows that it may change. */
  readonly changes: number;
  /** Rows that it may look at. */
  readonly looks: number;
  /** Named for a new entry that names nobody. */
  readonly requestedBy: string | null;
}

export interface SliceOutcome {
  readonly net: NetChange;
  readonly unchanged: number;
  /** How many rows were dealt with. */
  readonly looked: number;
  /** Up to where everything is done. */
  readonly position: Buffer | null;
  /** Nothing is left of this part. */
  readonly end: boolean;
}

/** The two parts of applying a bulk, a slice at a time, within a transaction of the caller's. */
export class BulkSlices {
  readonly #rows: BlockedRows;
  readonly #blocks: StagedBlocks;
  readonly #keys: BlockedKeys;

  constructor(db: Kysely<Schema>, rows: BlockedRows, blocks: StagedBlocks) {
    this.#rows = rows;
    this.#blocks = blocks;
    this.#keys = new BlockedKeys(db);
  }

  /** Which of these rows, all those staged behind `after` up to the last of them, are blocked: 1 at their places. */
  async present(runner: Runner, staged: StagedRows, after: Buffer | null): Promise<Uint8Array> {
    if (staged.length === 0) return new Uint8Array(0);
    const limit = KEYS_PER_ROW * staged.length;
    const others = await this.#keys.between(runner, after, staged.key(staged.length - 1), limit);
    if (others.length < limit * KEY_BYTES) return presentAmong(staged.keys, others);
    const texts = Array.from({ length: staged.length }, (_, index) => staged.text(index));
    const existing = await this.#rows.getMany(runner, texts);
    return Uint8Array.from(texts, (text) => (existing.has(text) ? 1 : 0));
  }

  /** Applies the next staged rows. */
  async add(runner: Runner, slice: SliceOf, now: Date): Promise<SliceOutcome> {
    const staged = await slice.merge.next(slice.looks);
    const present = await this.present(runner, staged, slice.after);
    const skips = await this.#skips(runner, slice, staged.length === 0 ? null : staged.key(staged.length - 1));
    const before = await this.#rowsToCompare(runner, staged, present);
    const changes: RowChanges = { inserts: [], updates: [], deletes: [] };
    const blockedAt = now.toISOString();
    let changed = 0;
    let index = 0;
    for (; index < staged.length && changed < slice.changes; index++) {
      const exists = present[index] === 1;
      if (exists ? staged.isKeep(index) : staged.isRemoval(index)) continue;
      if (skips.size > 0 && skips.has(staged.text(index))) continue;
      if (staged.isRemoval(index)) changes.deletes.push(staged.text(index));
      else {
        const addition = { ...staged.addition(index), defaultBlockedBy: slice.requestedBy ?? undefined };
        const existing = exists ? (before.get(addition.entry.text) ?? null) : null;
        const row = rowAfterAdd(existing, addition, blockedAt);
        if (row === existing) continue;
        if (existing === null) changes.inserts.push({ key: staged.key(index), row });
        else changes.updates.push(row);
      }
      changed++;
    }
    const position = index === 0 ? slice.after : Buffer.from(staged.key(index - 1));
    if (index < staged.length && position !== null) slice.merge.putBack(staged, index, position);
    await this.#rows.write(runner, changes);
    const net = { added: changes.inserts.map(({ row }) => row.ip_address), removed: changes.deletes };
    const unchanged = index - net.added.length - net.removed.length;
    return { net, unchanged, looked: index, position, end: slice.merge.isOver };
  }

  /** Looks at the next blocked addresses and removes those that were not staged as additions. */
  async remove(runner: Runner, slice: SliceOf): Promise<SliceOutcome> {
    const keys = await this.#keys.between(runner, slice.after, null, slice.looks);
    let looked = keys.length / KEY_BYTES;
    if (looked === 0) {
      return { net: { added: [], removed: [] }, unchanged: 0, looked, position: slice.after, end: true };
    }
    let position = Buffer.from(keys.subarray(-KEY_BYTES));
    const staged = await slice.merge.nextUpTo(position);
    // A row that was to be removed and is there was blocked again by somebody since: it stays too.
    const keeps = presentAmong(keys, staged.keys);
    let end = looked < slice.looks;
    const deletes: string[] = [];
    if (keeps.includes(0)) {
      const skips = await this.#skips(runner, slice, position);
      for (let place = keeps.indexOf(0); place >= 0; place = keeps.indexOf(0, place + 1)) {
        if (deletes.length === slice.changes) {
          looked = place;
          position = Buffer.from(keys.subarray((place - 1) * KEY_BYTES, place * KEY_BYTES));
          end = false;
          slice.merge.putBack(staged, staged.countUpTo(position), position);
          break;
        }
        const { text } = entryOfSortKey(keys, place * KEY_BYTES);
        if (!skips.has(text)) deletes.push(text);
      }
    }
    await this.#rows.write(runner, { inserts: [], updates: [], deletes });
    return { net: { added: [], removed: deletes }, unchanged: 0, looked, position, end };
  }

  /** A line of a list changes nothing about what is there, and most rows are lines. */
  async #rowsToCompare(runner: Runner, staged: StagedRows, present: Uint8Array): Promise<Map<string, BlockedIpRow>> {
    const texts: string[] = [];
    for (let index = 0; index < staged.length; index++) {
      if (present[index] === 1 && !staged.isKeep(index) && !staged.isRemoval(index)) texts.push(staged.text(index));
    }
    return await this.#rows.getMany(runner, texts);
  }

  async #skips(runner: Runner, slice: SliceOf, position: Buffer | null): Promise<Set<string>> {
    if (position === null) return new Set();
    return await this.#blocks.skips(runner, slice.bulk, slice.after ?? BEFORE_ALL, position);
  }
}
