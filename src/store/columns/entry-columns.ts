// What lists are sorted and filtered by, of every blocked entry: 29 bytes each (ADR 0095).
import { compareKeys, KEY_BYTES } from '../staged-rows.ts';

/** End of a permanent block. Also the largest value of a column: later times are stored as the one before. */
export const PERMANENT = 0xffff_ffff;

/** Rows in a chunk before it is split; a change copies one chunk. */
const LARGEST_CHUNK = 8_192;

/** Entries in the order of addresses. Never changed once made, so that a reader may pause between two chunks. */
export interface EntryChunk {
  /** Sort keys, concatenated. */
  readonly keys: Buffer;
  /** Seconds since 1970. */
  readonly blockedAt: Uint32Array;
  /** Seconds since 1970, or `PERMANENT`. */
  readonly endsAt: Uint32Array;
  /** Numbers of `ClaimantSets`. */
  readonly claimants: Uint32Array;
}

export interface EntryValues {
  readonly blockedAt: number;
  readonly endsAt: number;
  readonly claimants: number;
}

export interface EntryChange {
  readonly key: Buffer;
  /** Null: it is no longer blocked. */
  readonly values: EntryValues | null;
}

/** The different sets of sources that claim an entry: few, since most entries have one claimant. Only grows. */
export class ClaimantSets {
  readonly #numbers = new Map<string, number>();
  readonly #sets: (readonly number[])[] = [];

  /** @param sources in any order, without duplicates; at least one */
  numberOf(sources: readonly number[]): number {
    const sorted = sources.length === 1 ? sources : sources.toSorted((a, b) => a - b);
    const name = sorted.join();
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#sets.length);
    return this.#sets.push([...sorted]) - 1;
  }

  get size(): number {
    return this.#sets.length;
  }

  /** In order. */
  sourcesOf(number: number): readonly number[] {
    return this.#sets[number] ?? [];
  }

  /** By number: 1 if the source is in the set. */
  containing(source: number): Uint8Array {
    return Uint8Array.from(this.#sets, (set) => (set.includes(source) ? 1 : 0));
  }
}

/** All entries at one moment. */
export class EntryColumns {
  readonly chunks: readonly EntryChunk[];
  readonly claimants: ClaimantSets;
  readonly length: number;

  constructor(chunks: readonly EntryChunk[], claimants: ClaimantSets) {
    this.chunks = chunks;
    this.claimants = claimants;
    this.length = chunks.reduce((sum, { endsAt }) => sum + endsAt.length, 0);
  }

  /** @param changes one for each key, in any order */
  with(changes: readonly EntryChange[]): EntryColumns {
    if (changes.length === 0) return this;
    const sorted = changes.toSorted((a, b) => a.key.compare(b.key));
    const chunks: EntryChunk[] = [];
    let next = 0;
    const old = this.chunks.length === 0 ? [emptyChunk] : this.chunks;
    for (const [index, chunk] of old.entries()) {
      const end = old[index + 1]?.keys.subarray(0, KEY_BYTES);
      const from = next;
      while (next < sorted.length && (end === undefined || sorted[next]!.key.compare(end) < 0)) next += 1;
      if (next === from) chunks.push(chunk);
      else chunks.push(...changed(chunk, sorted.slice(from, next)));
    }
    return new EntryColumns(chunks, this.claimants);
  }
}

const emptyChunk = newChunk(0);

export function newChunk(length: number): EntryChunk {
  return {
    keys: Buffer.alloc(length * KEY_BYTES),
    blockedAt: new Uint32Array(length),
    endsAt: new Uint32Array(length),
    claimants: new Uint32Array(length),
  };
}

function changed(chunk: EntryChunk, changes: readonly EntryChange[]): EntryChunk[] {
  const rows = chunk.endsAt.length;
  const merged = newChunk(rows + changes.length);
  let length = 0;
  const copy = (from: number, to: number): void => {
    chunk.keys.copy(merged.keys, length * KEY_BYTES, from * KEY_BYTES, to * KEY_BYTES);
    for (const column of ['blockedAt', 'endsAt', 'claimants'] as const)
      merged[column].set(chunk[column].subarray(from, to), length);
    length += to - from;
  };
  let row = 0;
  for (const { key, values } of changes) {
    const from = row;
    let order = 1;
    while (row < rows) {
      order = compareKeys(chunk.keys, row * KEY_BYTES, key, 0);
      if (order >= 0) break;
      row += 1;
    }
    copy(from, row);
    if (row < rows && order === 0) row += 1;
    if (values === null) continue;
    key.copy(merged.keys, length * KEY_BYTES);
    for (const column of ['blockedAt', 'endsAt', 'claimants'] as const) merged[column][length] = values[column];
    length += 1;
  }
  copy(row, rows);
  if (length === 0) return [];
  const half = length > LARGEST_CHUNK ? length >>> 1 : length;
  return half === length ? [part(merged, 0, length)] : [part(merged, 0, half), part(merged, half, length)];
}

/** Copied, so that no chunk keeps the memory of a longer one. */
function part(chunk: EntryChunk, from: number, to: number): EntryChunk {
  return {
    keys: Buffer.from(chunk.keys.subarray(from * KEY_BYTES, to * KEY_BYTES)),
    blockedAt: chunk.blockedAt.slice(from, to),
    endsAt: chunk.endsAt.slice(from, to),
    claimants: chunk.claimants.slice(from, to),
  };
}
