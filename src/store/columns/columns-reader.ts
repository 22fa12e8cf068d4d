import { type Kysely, sql } from 'kysely';
import type { SliceQueue } from '../../concurrency/slices.ts';
import { BLOCK, filled } from '../row-blocks.ts';
import type { Schema } from '../schema.ts';
import { compareKeys, KEY_BYTES } from '../staged-rows.ts';
import { ClaimantSets, type EntryChange, type EntryChunk, EntryColumns, newChunk, PERMANENT } from './entry-columns.ts';

/** Some 3 ms. */
const SLICE = 4_096;
const LATEST = PERMANENT - 1;

interface PackedSlice {
  readonly keys: Buffer | null;
  readonly blocked: string;
  readonly ends: string;
  readonly sources: string;
  readonly others: number;
}

interface FurtherClaim {
  readonly sort_key: Buffer;
  readonly source: number;
}

/** Reads the columns from the tables. Packed by SQLite: an object for each of a million rows would take twice as long. */
export class ColumnsReader {
  readonly #read: Kysely<Schema>;
  readonly #turns: SliceQueue;

  constructor(read: Kysely<Schema>, turns: SliceQueue) {
    this.#read = read;
    this.#turns = turns;
  }

  /** Yields between slices, so of the changes made meanwhile some are in it and some are not. */
  async all(): Promise<EntryColumns> {
    const claimants = new ClaimantSets();
    const chunks: EntryChunk[] = [];
    for (let after: Buffer = Buffer.alloc(0); ; await this.#turns.next()) {
      const { rows } = await sql<PackedSlice>`
        select cast(group_concat(sort_key, '') as blob) as keys, group_concat(blocked) as blocked,
          group_concat(ends) as ends, group_concat(source) as sources, total(others) as others
        from (
          select sort_key, ${blocked} as blocked, ${ends} as ends, source, others from blocked_ips
          where sort_key > ${after} order by sort_key limit ${SLICE}
        )`.execute(this.#read);
      const { keys, blocked: blockedTimes, ends: endTimes, sources, others } = rows[0]!;
      if (keys === null) return new EntryColumns(chunks, claimants);
      const last = keys.subarray(-KEY_BYTES);
      const chunk = { ...newChunk(0), keys, blockedAt: times(blockedTimes), endsAt: times(endTimes) };
      const further = others === 0 ? [] : await this.#claimsBetween(after, last);
      chunks.push({ ...chunk, claimants: claimantsOf(keys, sources.split(','), further, claimants) });
      if (keys.length < SLICE * KEY_BYTES) return new EntryColumns(chunks, claimants);
      after = last;
    }
  }

  /** These keys as they are now. */
  async some(keys: readonly Buffer[], claimants: ClaimantSets): Promise<EntryChange[]> {
    const changes: EntryChange[] = [];
    for (let from = 0; from < keys.length; from += BLOCK) {
      if (from > 0) await this.#turns.next();
      const block = keys.slice(from, from + BLOCK);
      const among = sql.join(filled(block));
      const rows = await sql<{ sort_key: Buffer; blocked: number; ends: number; source: number; others: number }>`
        select sort_key, ${blocked} as blocked, ${ends} as ends, source, others from blocked_ips
        where sort_key in (${among})`.execute(this.#read);
      const further = rows.rows.some(({ others }) => others > 0)
        ? (
            await sql<FurtherClaim>`select sort_key, source from claims where sort_key in (${among})`.execute(
              this.#read,
            )
          ).rows
        : [];
      const found = new Map(rows.rows.map((row) => [row.sort_key.toString('latin1'), row]));
      for (const key of block) {
        const row = found.get(key.toString('latin1'));
        if (row === undefined) {
          changes.push({ key, values: null });
          continue;
        }
        const more = further.filter(({ sort_key }) => sort_key.equals(key)).map(({ source }) => source);
        const sources = [...new Set([row.source, ...more])];
        const values = {
          blockedAt: seconds(row.blocked),
          endsAt: seconds(row.ends),
          claimants: claimants.numberOf(sources),
        };
        changes.push({ key, values });
      }
    }
    return changes;
  }

  async #claimsBetween(after: Buffer, last: Buffer): Promise<readonly FurtherClaim[]> {
    const { rows } = await sql<FurtherClaim>`
      select sort_key, source from claims where sort_key > ${after} and sort_key <= ${last}
      order by sort_key`.execute(this.#read);
    return rows;
  }
}

/** A time that another program wrote in another form counts as the earliest. */
const blocked = sql<number>`coalesce(unixepoch(blocked_at), 0)`;
const ends = sql<number>`iif(expires_at is null, ${sql.lit(PERMANENT)}, coalesce(min(unixepoch(expires_at), ${sql.lit(LATEST)}), 0))`;

function seconds(value: number): number {
  return Math.max(0, Math.min(value, PERMANENT));
}

function times(list: string): Uint32Array {
  return Uint32Array.from(list.split(','), (text) => seconds(Number(text)));
}

/** Of each key; `further` in the same order. */
function claimantsOf(
  keys: Buffer,
  sources: readonly string[],
  further: readonly FurtherClaim[],
  sets: ClaimantSets,
): Uint32Array {
  let next = 0;
  return Uint32Array.from(sources, (text, row) => {
    const source = Number(text);
    const own = [source];
    for (; next < further.length; next++) {
      const { sort_key, source: other } = further[next]!;
      const order = compareKeys(sort_key, 0, keys, row * KEY_BYTES);
      if (order > 0) break;
      if (order === 0 && other !== source) own.push(other);
    }
    return sets.numberOf(own);
  });
}
