import type { Kysely } from 'kysely';
import { type BlockedIpRow, type NetChange, rowAfterAdd } from './blocked-changes.ts';
import type { BlockedRows, RowChanges } from './blocked-rows.ts';
import { BlockedScan } from './blocked-scan.ts';
import type { Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import type { StagedMerge } from './staged-merge.ts';
import { type StagedBlocks, toAddition } from './staged-rows.ts';

const BEFORE_ALL = Buffer.alloc(0);

/** A slice of a bulk: which, and where it goes on. */
export interface SliceOf {
  readonly bulk: number;
  readonly merge: StagedMerge;
  readonly after: Buffer | null;
  readonly limit: number;
  /** Named for a new entry that names nobody. */
  readonly requestedBy: string | null;
}

export interface SliceOutcome {
  readonly net: NetChange;
  readonly unchanged: number;
  /** Up to where everything is done. */
  readonly position: Buffer | null;
  /** Nothing is left of this part. */
  readonly end: boolean;
}

/** The two parts of applying a bulk, a slice at a time, within a transaction of the caller's. */
export class BulkSlices {
  readonly #rows: BlockedRows;
  readonly #blocks: StagedBlocks;
  readonly #scan: BlockedScan;

  constructor(db: Kysely<Schema>, rows: BlockedRows, blocks: StagedBlocks) {
    this.#rows = rows;
    this.#blocks = blocks;
    this.#scan = new BlockedScan(db);
  }

  /** Applies the next `limit` staged rows. */
  async add(runner: Runner, slice: SliceOf, now: Date): Promise<SliceOutcome> {
    const staged = await slice.merge.next(slice.limit);
    const last = staged.at(-1);
    const position = last === undefined ? slice.after : Buffer.from(last[0], 'hex');
    const skips = await this.#skips(runner, slice, position);
    const open = staged.filter(([, text]) => !skips.has(text));
    // A list for an empty database, and most slices of a list that is new, need no look-ups at all.
    const anyone = await this.#scan.texts(slice.after, 1, runner);
    const isNew = anyone.last === null || position === null || anyone.last.compare(position) > 0;
    const before = await this.#rows.getMany(runner, isNew ? [] : open.map(([, text]) => text));
    const changes: RowChanges = { inserts: [], updates: [], deletes: [] };
    const blockedAt = now.toISOString();
    for (const record of open) {
      const [key, text, change] = record;
      const existing = before.get(text) ?? null;
      if (change === 'remove') {
        if (existing !== null) changes.deletes.push(text);
        continue;
      }
      const row = rowAfterAdd(
        existing,
        { ...toAddition(record), defaultBlockedBy: slice.requestedBy ?? undefined },
        blockedAt,
      );
      if (existing === null) changes.inserts.push({ key: Buffer.from(key, 'hex'), row });
      else if (row !== existing) changes.updates.push(row);
    }
    await this.#rows.write(runner, changes);
    const net = { added: changes.inserts.map(rowText), removed: changes.deletes };
    const unchanged = staged.length - net.added.length - net.removed.length;
    return { net, unchanged, position, end: staged.length < slice.limit };
  }

  /** Looks at the next `limit` blocked addresses and removes those that were not staged as additions. */
  async remove(runner: Runner, slice: SliceOf): Promise<SliceOutcome> {
    const blocked = await this.#scan.texts(slice.after, slice.limit, runner);
    const position = blocked.last ?? slice.after;
    const kept = await this.#skips(runner, slice, position);
    if (position !== null) {
      for (const [, text, change] of await slice.merge.nextUpTo(position)) {
        if (change !== 'remove') kept.add(text);
      }
    }
    const deletes = blocked.texts.filter((text) => !kept.has(text));
    await this.#rows.write(runner, { inserts: [], updates: [], deletes });
    const end = blocked.texts.length < slice.limit;
    return { net: { added: [], removed: deletes }, unchanged: 0, position, end };
  }

  async #skips(runner: Runner, slice: SliceOf, position: Buffer | null): Promise<Set<string>> {
    if (position === null) return new Set();
    return await this.#blocks.skips(runner, slice.bulk, slice.after ?? BEFORE_ALL, position);
  }
}

function rowText({ row }: { readonly row: BlockedIpRow }): string {
  return row.ip_address;
}
