import type { EntryMap as MapAnswer } from '../api/insight-map.ts';
import { parseIp } from '../domain/ip.ts';
import { type Parsed, parsed, refused } from '../domain/parsed.ts';
import { quote } from '../domain/quote.ts';
import type { MapArea } from '../store/columns/map-cells.ts';
import type { EntryMapData, EntryMapStore, MapLayer } from '../store/entry-map-store.ts';
import { DeniedCells } from './denied-cells.ts';

const everything: MapArea = { first: 0, prefix: 0, cellPrefix: 18 };
/** With cells of /24, a map has 256 to 65,536 of them. */
const widestNetwork = 8;
const narrowestNetwork = 16;
const blockBits = 10;

/** Of one network; undefined: of all. */
export function mapAreaOf(network: string | undefined): Parsed<MapArea> {
  if (network === undefined) return parsed(everything);
  const ip = parseIp(network);
  if (!ip.ok) return refused(ip.why);
  const { family, prefix, words } = ip.entry;
  if (family !== 4 || prefix < widestNetwork || prefix > narrowestNetwork) {
    return refused(`${quote(network)} has no map; give an IPv4 network from /${widestNetwork} to /${narrowestNetwork}`);
  }
  return parsed({ first: words[3], prefix, cellPrefix: 24 });
}

export interface DeniedRequests {
  /**
   * Calls `each` for each address that was denied in the last 24 hours, with the number of requests.
   * Resolves with whether all of that time was watched. Errors: 7010 and 7011.
   */
  deniedInDay(each: (address: string, requests: number) => void): Promise<boolean>;
}

interface EntryMapDeps {
  readonly store: Pick<EntryMapStore, 'read'>;
  readonly denied: DeniedRequests;
  readonly now: () => Date;
}

/** Maps of the blocked IPv4 addresses. */
export class EntryMap {
  readonly #deps: EntryMapDeps;

  constructor(deps: EntryMapDeps) {
    this.#deps = deps;
  }

  /** Errors: of the layer `hits` 7010 and 7011. Throws `StoreError`. */
  async read(layer: MapLayer | 'hits', area: MapArea): Promise<MapAnswer> {
    if (layer === 'hits') return await this.#readHits(area);
    const { store, now } = this.#deps;
    const { cells, blocks, sources, ...networks } = await store.read({ layer, area, now: now() });
    return {
      ...framed(layer, area, cells),
      sources,
      ...shownNetworks(networks),
      blocks: blocks.map(({ first, entries, addresses }) => ({ network: blockText(first, area), entries, addresses })),
    };
  }

  /** Where the denied requests came from, whether the entry that denied them still exists or not (ADR 0106). */
  async #readHits(area: MapArea): Promise<MapAnswer> {
    const { store, denied, now } = this.#deps;
    const cells = new DeniedCells(area);
    const complete = await denied.deniedInDay((address, requests) => cells.add(address, requests));
    const blocked = await store.read({ layer: 'density', area, now: now() });
    const known = new Map(blocked.blocks.map((block) => [block.first, block]));
    const prefix = blockPrefixOf(area);
    const blocks = Array.from({ length: 2 ** (prefix - area.prefix) }, (_, at) => {
      const first = area.first + at * 2 ** (32 - prefix);
      const { entries = 0, addresses = 0 } = known.get(first) ?? {};
      return { network: blockText(first, area), entries, addresses, denied: cells.within(first, prefix) };
    });
    return {
      ...framed('hits', area, cells.bytes()),
      sources: [],
      ...shownNetworks(blocked),
      blocks: blocks.filter((block) => block.addresses > 0 || block.denied > 0),
      complete,
    };
  }
}

function shownNetworks({ sizes, widest }: Pick<EntryMapData, 'sizes' | 'widest'>) {
  return {
    sizes: [...sizes],
    widest: widest.map(({ first, prefix }) => ({
      network: networkText(first, prefix),
      addresses: 2 ** (32 - prefix),
    })),
  };
}

function framed(layer: MapAnswer['layer'], { first, prefix, cellPrefix }: MapArea, cells: Uint8Array) {
  return {
    layer,
    network: networkText(first, prefix),
    cell_prefix: cellPrefix,
    cells: Buffer.from(cells).toString('base64'),
  };
}

function blockPrefixOf({ prefix, cellPrefix }: MapArea): number {
  return Math.max(prefix, cellPrefix - blockBits);
}

function blockText(first: number, area: MapArea): string {
  return networkText(first, blockPrefixOf(area));
}

function networkText(first: number, prefix: number): string {
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')}/${prefix}`;
}
