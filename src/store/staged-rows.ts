// Staged rows, packed: the 17 bytes of each sort key, a kind byte for each, and the details that few rows have. A
// million lines of a list take 18 MB, and no string is made before it is needed.
import { entryOfSortKey } from '../domain/ip.ts';
import type { BlockedAddition, BlockedChange, ExpiryChange } from './blocked-changes.ts';
import { StoreError } from './store-error.ts';

/** A change of a bulk. Of duplicates in one bulk the last counts. */
export type StagedRow = Exclude<BlockedChange, { op: 'expire' }>;

export const KEY_BYTES = 17;

/** The index in this list is stored: never reorder it. */
const KINDS = ['keep', 'permanent', 'at', 'later-of', 'remove'] as const satisfies readonly (
  | ExpiryChange['kind']
  | 'remove'
)[];
const KEEP = KINDS.indexOf('keep');
const REMOVE = KINDS.indexOf('remove');

/** 0: not given (a reason of null removes the old one). */
type Details = readonly [endsAt: string | 0, reason: string | null | 0, blockedBy?: string];

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** In address order, each address once. */
export class StagedRows {
  readonly length: number;
  readonly keys: Buffer;
  readonly kinds: Uint8Array;
  readonly #details: ReadonlyMap<number, Details>;
  /** The index of the first row's details. */
  readonly #first: number;

  constructor(keys: Buffer, kinds: Uint8Array, details: ReadonlyMap<number, Details>, first = 0) {
    this.length = kinds.length;
    this.keys = keys;
    this.kinds = kinds;
    this.#details = details;
    this.#first = first;
  }

  /** A view: nothing is copied. */
  slice(from: number, to = this.length): StagedRows {
    if (from === 0 && to >= this.length) return this;
    return new StagedRows(
      this.keys.subarray(from * KEY_BYTES, to * KEY_BYTES),
      this.kinds.subarray(from, to),
      this.#details,
      this.#first + from,
    );
  }

  key(index: number): Buffer {
    return this.keys.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES);
  }

  text(index: number): string {
    return entryOfSortKey(this.keys, index * KEY_BYTES).text;
  }

  /** How many rows have keys up to `last`. */
  countUpTo(last: Buffer): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareKeys(this.keys, middle * KEY_BYTES, last, 0) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isRemoval(index: number): boolean {
    return this.kinds[index] === REMOVE;
  }

  /** A bare address: leaves an existing entry as it is. */
  isBare(index: number): boolean {
    return this.kinds[index] === KEEP && this.details(index) === undefined;
  }

  /** Undefined for most rows. */
  details(index: number): Details | undefined {
    return this.#details.size === 0 ? undefined : this.#details.get(this.#first + index);
  }

  /** `entry` contains the text alone, which is all that applying it needs. `text`: pass it if known. */
  addition(index: number, text = this.text(index)): BlockedAddition {
    const details = this.details(index);
    const reason = details?.[1];
    return {
      op: 'add',
      entry: { text } as BlockedAddition['entry'],
      reason: reason === 0 ? undefined : reason,
      blockedBy: details?.[2],
      expiry: toExpiry(KINDS[this.kinds[index]!], details?.[0]),
    };
  }

  /** Null when no row has details. */
  detailsJson(): string | null {
    const said: (readonly [number, Details])[] = [];
    for (let index = 0; index < this.length && this.#details.size > 0; index++) {
      const details = this.details(index);
      if (details !== undefined) said.push([index, details]);
    }
    return said.length === 0 ? null : JSON.stringify(said);
  }

  static fromStored(stored: { keys: Buffer; kinds: Buffer; details_json: string | null }): StagedRows {
    const said = stored.details_json === null ? [] : (JSON.parse(stored.details_json) as [number, Details][]);
    return new StagedRows(stored.keys, stored.kinds, new Map(said));
  }
}

export const NO_ROWS = new StagedRows(Buffer.alloc(0), new Uint8Array(0), new Map());

/** Appends rows one by one, in address order. */
export class StagedRowsBuilder {
  #keys: Buffer;
  #kinds: Uint8Array;
  readonly #details = new Map<number, Details>();
  #length = 0;

  constructor(room: number) {
    this.#keys = Buffer.allocUnsafe(room * KEY_BYTES);
    this.#kinds = new Uint8Array(room);
  }

  get length(): number {
    return this.#length;
  }

  /** Copies rows `from` up to `to` of `rows`. */
  append(rows: StagedRows, from: number, to: number): void {
    this.#reserve(to - from);
    const { keys, kinds } = rows;
    let target = this.#length * KEY_BYTES;
    // A loop: a native copy costs more than 17 bytes do.
    if (to - from < 8) for (let at = from * KEY_BYTES; at < to * KEY_BYTES; ) this.#keys[target++] = keys[at++]!;
    else keys.copy(this.#keys, target, from * KEY_BYTES, to * KEY_BYTES);
    for (let index = from; index < to; index++) {
      const details = rows.details(index);
      if (details !== undefined) this.#details.set(this.#length, details);
      this.#kinds[this.#length++] = kinds[index]!;
    }
  }

  /** Replaces the previous row if it has the same address. */
  push(row: StagedRow): void {
    this.#reserve(1);
    const { entry } = row;
    const { words } = entry;
    const at = this.#length * KEY_BYTES;
    for (let index = 0; index < 4; index++) {
      const word = words[index]!;
      this.#keys[at + 4 * index] = word >>> 24;
      this.#keys[at + 4 * index + 1] = word >>> 16;
      this.#keys[at + 4 * index + 2] = word >>> 8;
      this.#keys[at + 4 * index + 3] = word;
    }
    this.#keys[at + 16] = entry.family === 4 ? entry.prefix + 96 : entry.prefix;
    const again = this.#length > 0 && compareKeys(this.#keys, at - KEY_BYTES, this.#keys, at) === 0;
    const place = again ? this.#length - 1 : this.#length;
    this.#kinds[place] = row.op === 'remove' ? REMOVE : KINDS.indexOf(row.expiry.kind);
    const details = detailsOf(row);
    if (details !== null) this.#details.set(place, details);
    else if (again) this.#details.delete(place);
    this.#length = place + 1;
  }

  build(): StagedRows {
    return new StagedRows(
      this.#keys.subarray(0, this.#length * KEY_BYTES),
      this.#kinds.subarray(0, this.#length),
      this.#details,
    );
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#kinds.length) return;
    const room = Math.max(2 * this.#kinds.length, this.#length + more);
    const keys = Buffer.allocUnsafe(room * KEY_BYTES);
    this.#keys.copy(keys, 0, 0, this.#length * KEY_BYTES);
    this.#keys = keys;
    const kinds = new Uint8Array(room);
    kinds.set(this.#kinds.subarray(0, this.#length));
    this.#kinds = kinds;
  }
}

/** Like memcmp, of keys whose first `equalBytes` are known to be equal; a native call costs ten times as much. */
export function compareKeys(a: Uint8Array, atA: number, b: Uint8Array, atB: number, equalBytes = 0): number {
  for (let index = equalBytes; index < KEY_BYTES; index++) {
    const difference = a[atA + index]! - b[atB + index]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function detailsOf(row: StagedRow): Details | null {
  if (row.op === 'remove') return null;
  const endsAt = checkedTime(row);
  if (row.blockedBy !== undefined) return [endsAt, row.reason === undefined ? 0 : row.reason, row.blockedBy];
  if (row.reason !== undefined) return [endsAt, row.reason];
  return endsAt === 0 ? null : [endsAt, 0];
}

/** Checked here, since the schema sees only the block. */
function checkedTime(row: BlockedAddition): string | 0 {
  const { expiry } = row;
  if (expiry.kind !== 'at' && expiry.kind !== 'later-of') return 0;
  const time = expiry.kind === 'at' ? expiry.at : expiry.until;
  if (TIME.test(time)) return time;
  throw new StoreError('constraint', `${row.entry.text} is to end at ${time}, which is not a UTC time in milliseconds`);
}

function toExpiry(kind: (typeof KINDS)[number] | undefined, endsAt: Details[0] | undefined): ExpiryChange {
  if (kind === 'permanent' || kind === 'keep') return { kind };
  if (kind === 'at' && endsAt) return { kind, at: endsAt };
  if (kind === 'later-of' && endsAt) return { kind, until: endsAt };
  throw new StoreError('corrupt', `a staged row says ${kind} and ends at ${String(endsAt)}`);
}
