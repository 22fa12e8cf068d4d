// Counts the blocked IPv4 addresses of each cell of a map.
import { KEY_BYTES } from '../staged-rows.ts';
import { type EntryChunk, type EntryColumns, PERMANENT } from './entry-columns.ts';

/** Of all IPv4 addresses, or of one network. */
export interface MapArea {
  /** Its first address. */
  readonly first: number;
  readonly prefix: number;
  /** The prefix of a cell, longer than that of the area. */
  readonly cellPrefix: number;
}

/** An entry with more than one address. */
export interface MapNetwork {
  readonly first: number;
  readonly prefix: number;
}

/** Beside a map. */
const MOST_WIDEST = 8;
const ADDRESS_BITS = 32;

/** Sources that a map tells apart; the others share the number after theirs. */
export const MAPPED_SOURCES = 15;

/** What a map of an area shows, by cell, in the order of addresses, which is that of the Hilbert curve. */
export class MapCells {
  readonly #area: MapArea;
  readonly #last: number;
  /** A cell has 2^shift addresses. */
  readonly #shift: number;
  /** The first address that no entry so far covers. */
  #free = 0;

  /** How many addresses are blocked, each counted once. */
  readonly addresses: Uint32Array;
  /** How many entries begin in it. */
  readonly entries: Uint32Array;
  /** How many entries begin in the area or cover it, by prefix. */
  readonly sizes = new Uint32Array(ADDRESS_BITS + 1);
  /** Of the networks that begin in the area or cover it those with most addresses, the widest first. */
  widest: readonly MapNetwork[] = [];
  /** The end of the entry that ends first, as in the columns; 0: there is none. */
  readonly firstEnd: Uint32Array;
  /** By cell and rank of the source, the addresses of its entries. Empty without ranks. */
  readonly bySource: Float64Array;
  readonly #ranks: readonly (readonly number[])[] | null;

  /** @param ranks of each set of claimants, the ranks of its sources, from 0; null: not needed */
  constructor(area: MapArea, ranks: readonly (readonly number[])[] | null) {
    this.#area = area;
    this.#shift = 32 - area.cellPrefix;
    this.#last = area.first + 2 ** (32 - area.prefix) - 1;
    this.#free = area.first;
    this.#ranks = ranks;
    const cells = 2 ** (area.cellPrefix - area.prefix);
    this.addresses = new Uint32Array(cells);
    this.entries = new Uint32Array(cells);
    this.firstEnd = new Uint32Array(cells);
    this.bySource = new Float64Array(ranks === null ? 0 : cells * (MAPPED_SOURCES + 1));
  }

  /** In the order of addresses. */
  add({ keys, endsAt, claimants }: EntryChunk): void {
    for (let row = 0; row < endsAt.length; row++) {
      const at = row * KEY_BYTES;
      const prefix = keys[at + 16]! - 96;
      if (prefix <= 0 || !isIpv4(keys, at)) continue;
      const first = keys.readUInt32BE(at + 12);
      const last = first + 2 ** (32 - prefix) - 1;
      if (last < this.#area.first || first > this.#last) continue;
      // One that begins before the area and reaches into it covers it.
      this.sizes[prefix]! += 1;
      if (prefix < ADDRESS_BITS) this.#noteWide({ first, prefix });
      if (first >= this.#area.first) this.entries[this.#cellOf(first)]! += 1;
      this.#count(Math.max(first, this.#area.first), Math.min(last, this.#last), endsAt[row]!, claimants[row]!);
    }
  }

  /** In the order of addresses: of the same width the first ones stay. */
  #noteWide(network: MapNetwork): void {
    const { widest } = this;
    if (widest.length === MOST_WIDEST && network.prefix >= widest[MOST_WIDEST - 1]!.prefix) return;
    this.widest = [...widest, network].sort((a, b) => a.prefix - b.prefix).slice(0, MOST_WIDEST);
  }

  #cellOf(address: number): number {
    return Math.floor((address - this.#area.first) / 2 ** this.#shift);
  }

  #count(first: number, last: number, end: number, claimants: number): void {
    const size = 2 ** this.#shift;
    const ranks = this.#ranks?.[claimants] ?? [];
    const lastCell = this.#cellOf(last);
    for (let cell = this.#cellOf(first); cell <= lastCell; cell++) {
      const from = Math.max(first, this.#area.first + cell * size);
      const to = Math.min(last, this.#area.first + (cell + 1) * size - 1);
      // Wider networks come first, so what is covered already lies before.
      this.addresses[cell]! += Math.max(0, to - Math.max(from, this.#free) + 1);
      const earliest = this.firstEnd[cell]!;
      if (earliest === 0 || end < earliest) this.firstEnd[cell] = end;
      for (const rank of ranks) this.bySource[cell * (MAPPED_SOURCES + 1) + rank]! += to - from + 1;
    }
    this.#free = Math.max(this.#free, last + 1);
  }
}

/** How many entries each source claims, those with most first. */
export function sourcesBySize(columns: EntryColumns): readonly number[] {
  const ofSet: number[] = [];
  for (const { claimants } of columns.chunks) for (const set of claimants) ofSet[set] = (ofSet[set] ?? 0) + 1;
  const entries = new Map<number, number>();
  for (const [set, count = 0] of ofSet.entries())
    for (const source of columns.claimants.sourcesOf(set)) entries.set(source, (entries.get(source) ?? 0) + count);
  return [...entries]
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .map(([source]) => source);
}

/** 0: none; 1 to 255 on a scale of logarithms, since one address is a small part of a cell. */
export function densityBytes({ addresses }: MapCells, cellSize: number): Uint8Array {
  const scale = 254 / Math.log2(1 + cellSize);
  return Uint8Array.from(addresses, (count) => (count === 0 ? 0 : 1 + Math.round(scale * Math.log2(1 + count))));
}

/** Seconds from now, rising; the steps of `expiryBytes` above 0. */
const expirySteps = [3_600, 86_400, 7 * 86_400, 30 * 86_400];

/** 0: none; 1 to 4: the first entry ends within an hour, a day, a week, 30 days; 5: later; 6: all are permanent. */
export function expiryBytes({ firstEnd, addresses }: MapCells, now: number): Uint8Array {
  return Uint8Array.from(firstEnd, (end, cell) => {
    if (addresses[cell] === 0) return 0;
    if (end === PERMANENT) return expirySteps.length + 2;
    const step = expirySteps.findIndex((seconds) => end - now <= seconds);
    return step < 0 ? expirySteps.length + 1 : step + 1;
  });
}

/** 0: none; else 1 and the rank of the source with most addresses. */
export function sourceBytes({ bySource, addresses }: MapCells): Uint8Array {
  return Uint8Array.from(addresses, (count, cell) => {
    if (count === 0) return 0;
    const at = cell * (MAPPED_SOURCES + 1);
    let best = 0;
    for (let rank = 1; rank <= MAPPED_SOURCES; rank++) if (bySource[at + rank]! > bySource[at + best]!) best = rank;
    return best + 1;
  });
}

function isIpv4(keys: Buffer, at: number): boolean {
  if (keys[at + 10] !== 0xff || keys[at + 11] !== 0xff) return false;
  for (let byte = 0; byte < 10; byte++) if (keys[at + byte] !== 0) return false;
  return true;
}
