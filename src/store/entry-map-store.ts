import { TimeSlice } from '../concurrency/slices.ts';
import type { EntryColumns } from './columns/entry-columns.ts';
import {
  densityBytes,
  expiryBytes,
  MAPPED_SOURCES,
  type MapArea,
  MapCells,
  type MapNetwork,
  sourceBytes,
  sourcesBySize,
} from './columns/map-cells.ts';
import type { Database } from './open-database.ts';

export type MapLayer = 'density' | 'source' | 'expiry';

export interface MapRequest {
  readonly layer: MapLayer;
  readonly area: MapArea;
  /** The end of an entry counts from here. */
  readonly now: Date;
}

/** A network of the table beside a map. */
interface MapBlock {
  /** Its first address. */
  readonly first: number;
  readonly entries: number;
  readonly addresses: number;
}

export interface EntryMapData {
  readonly cells: Uint8Array;
  readonly blocks: readonly MapBlock[];
  /** How many entries have which prefix, from the widest. */
  readonly sizes: readonly { readonly prefix: number; readonly entries: number }[];
  /** The widest networks. */
  readonly widest: readonly MapNetwork[];
  /** The names of the sources with the numbers from 1 on. Only of the layer `source`. */
  readonly sources: readonly string[];
}

/** A block has so many cells, if the area has as many. */
const BLOCK_BITS = 10;

/** Maps of what is blocked, by the columns in memory. Failures are `StoreError`s. */
export class EntryMapStore {
  readonly #database: Database;
  /** Of columns that have not changed since. */
  readonly #known = new WeakMap<EntryColumns, Map<string, EntryMapData>>();

  constructor(database: Database) {
    this.#database = database;
  }

  async read({ layer, area, now }: MapRequest): Promise<EntryMapData> {
    const columns = await this.#database.columns.current();
    const second = Math.floor(now.getTime() / 1_000);
    const name = [layer, area.first, area.prefix, layer === 'expiry' ? Math.floor(second / 60) : ''].join();
    const known = this.#known.get(columns) ?? new Map<string, EntryMapData>();
    this.#known.set(columns, known);
    const found = known.get(name);
    if (found !== undefined) return found;
    const data = await this.#built(columns, layer, area, second);
    // Some layers of the whole map, and a few networks.
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(name, data);
    return data;
  }

  async #built(columns: EntryColumns, layer: MapLayer, area: MapArea, now: number): Promise<EntryMapData> {
    const bySize = layer === 'source' ? sourcesBySize(columns) : [];
    const ranks = layer === 'source' ? ranksOf(columns, bySize) : null;
    const cells = new MapCells(area, ranks);
    const slice = new TimeSlice();
    for (const chunk of columns.chunks) {
      cells.add(chunk);
      if (slice.due()) await slice.rest();
    }
    const blocks = blocksOf(cells, area);
    const sources = layer === 'source' ? await this.#names(bySize.slice(0, MAPPED_SOURCES)) : [];
    const sizes = [...cells.sizes].map((entries, prefix) => ({ prefix, entries })).filter(({ entries }) => entries > 0);
    const beside = { blocks, sources, sizes, widest: cells.widest };
    if (layer === 'density') return { cells: densityBytes(cells, 2 ** (32 - area.cellPrefix)), ...beside };
    return { cells: layer === 'source' ? sourceBytes(cells) : expiryBytes(cells, now), ...beside };
  }

  async #names(ids: readonly number[]): Promise<string[]> {
    const rows = await this.#database.read.selectFrom('sources').select(['id', 'name']).execute();
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    return ids.map((id) => names.get(id) ?? '');
  }
}

const MOST_KNOWN = 8;

function ranksOf(columns: EntryColumns, bySize: readonly number[]): number[][] {
  const rankOf = new Map(bySize.map((source, rank) => [source, Math.min(rank, MAPPED_SOURCES)]));
  const sets = Array.from({ length: columns.claimants.size }, (_, set) => columns.claimants.sourcesOf(set));
  return sets.map((sources) => [...new Set(sources.map((source) => rankOf.get(source) ?? MAPPED_SOURCES))]);
}

/** Those with a blocked address. */
function blocksOf({ addresses, entries }: MapCells, { first, cellPrefix, prefix }: MapArea): MapBlock[] {
  const size = 2 ** Math.min(BLOCK_BITS, cellPrefix - prefix);
  const blocks: MapBlock[] = [];
  for (let cell = 0; cell < addresses.length; cell += size) {
    const sum = (column: Uint32Array) => column.subarray(cell, cell + size).reduce((total, count) => total + count, 0);
    const block = { first: first + cell * 2 ** (32 - cellPrefix), entries: sum(entries), addresses: sum(addresses) };
    if (block.addresses > 0) blocks.push(block);
  }
  return blocks;
}
