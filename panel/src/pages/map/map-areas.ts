// The networks into which a map is divided: a /8 each, or a /14 of one /8.
import type { EntryMap, MapBlock } from '../../api/entry-map.ts';

export interface MapAreas {
  /** Of the curve through the areas. */
  readonly order: number;
  /** Of the curve through the cells. */
  readonly cellOrder: number;
  readonly cellPrefix: number;
  /** Along the curve. */
  readonly networks: readonly string[];
}

const all: MapAreas = {
  order: 4,
  cellOrder: 9,
  cellPrefix: 18,
  networks: Array.from({ length: 256 }, (_, first) => `${first}.0.0.0/8`),
};

/** Cells of one area. */
export const cellsOfArea = 1_024;

/** @param network a /8; null: all of IPv4 */
export function areasOf(network: string | null): MapAreas {
  if (network === null) return all;
  const first = firstByte(network);
  const networks = Array.from({ length: 64 }, (_, at) => `${first}.${at * 4}.0.0/14`);
  return { order: 3, cellOrder: 8, cellPrefix: 24, networks };
}

/** Of `45.0.0.0/8`, as the URL may have it; null: none. */
export function slash8Of(text: string): string | null {
  const [, first] = /^(\d{1,3})\.0\.0\.0\/8$/.exec(text) ?? [];
  return first !== undefined && Number(first) <= 255 && String(Number(first)) === first ? text : null;
}

export function firstByte(network: string): number {
  return Number(network.split('.', 1)[0]);
}

/** The sums of all areas; one without blocked addresses is none of the blocks. */
export function blockOf(map: EntryMap, network: string): MapBlock {
  return map.blocks.find((block) => block.network === network) ?? { network, entries: 0, addresses: 0 };
}

/** What the layer shows: the figure that networks are sorted by. */
export function figureOf({ entries, denied }: MapBlock): number {
  return denied ?? entries;
}

/** Those with most first; with the same, those with more addresses. */
export function sortedBlocks({ blocks }: EntryMap): readonly MapBlock[] {
  return blocks.toSorted((a, b) => figureOf(b) - figureOf(a) || b.addresses - a.addresses);
}

/** Cells of the area at this place with something blocked. */
export function usedCells({ cells }: EntryMap, place: number): number {
  let used = 0;
  for (const value of cells.subarray(place * cellsOfArea, (place + 1) * cellsOfArea)) if (value !== 0) used += 1;
  return used;
}
