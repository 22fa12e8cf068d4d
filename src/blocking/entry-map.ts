import type { EntryMap as MapAnswer } from '../api/insight-map.ts';
import { parseIp } from '../domain/ip.ts';
import { type Parsed, parsed, refused } from '../domain/parsed.ts';
import { quote } from '../domain/quote.ts';
import type { MapArea } from '../store/columns/map-cells.ts';
import type { EntryMapStore, MapLayer } from '../store/entry-map-store.ts';

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

/** Maps of the blocked IPv4 addresses. */
export class EntryMap {
  readonly #store: Pick<EntryMapStore, 'read'>;
  readonly #now: () => Date;

  constructor(store: Pick<EntryMapStore, 'read'>, now: () => Date) {
    this.#store = store;
    this.#now = now;
  }

  /** Throws `StoreError`. */
  async read(layer: MapLayer, area: MapArea): Promise<MapAnswer> {
    const { cells, blocks, sources } = await this.#store.read({ layer, area, now: this.#now() });
    const { first, prefix, cellPrefix } = area;
    const blockPrefix = Math.max(prefix, cellPrefix - blockBits);
    return {
      layer,
      network: networkText(first, prefix),
      cell_prefix: cellPrefix,
      cells: Buffer.from(cells).toString('base64'),
      sources,
      blocks: blocks.map((block) => ({
        network: networkText(block.first, blockPrefix),
        entries: block.entries,
        addresses: block.addresses,
      })),
    };
  }
}

function networkText(first: number, prefix: number): string {
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')}/${prefix}`;
}
