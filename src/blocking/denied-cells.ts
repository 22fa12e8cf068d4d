import type { MapArea } from '../store/columns/map-cells.ts';

/** From so many denied requests on, a cell has the highest byte: the scale is the same for every map. */
const MOST_SHOWN = 1_000_000;

/** Denied requests by the cell of a map in which the client is. */
export class DeniedCells {
  readonly #area: MapArea;
  readonly #last: number;
  readonly #cells: Float64Array;

  constructor(area: MapArea) {
    this.#area = area;
    this.#last = area.first + 2 ** (32 - area.prefix) - 1;
    this.#cells = new Float64Array(2 ** (area.cellPrefix - area.prefix));
  }

  /** @param address canonical; one that is not in the area does not count */
  add(address: string, requests: number): void {
    const number = ipv4Number(address);
    if (number === null || number < this.#area.first || number > this.#last) return;
    this.#cells[Math.floor((number - this.#area.first) / 2 ** (32 - this.#area.cellPrefix))]! += requests;
  }

  /** Of the network that begins at `first`. */
  within(first: number, prefix: number): number {
    const shift = 32 - this.#area.cellPrefix;
    const from = (first - this.#area.first) / 2 ** shift;
    return this.#cells.subarray(from, from + 2 ** (32 - prefix - shift)).reduce((sum, count) => sum + count, 0);
  }

  /** 0: none; 1 to 255 on a scale of logarithms. */
  bytes(): Uint8Array {
    const scale = 254 / Math.log2(1 + MOST_SHOWN);
    return Uint8Array.from(this.#cells, (count) =>
      count === 0 ? 0 : 1 + Math.round(scale * Math.log2(1 + Math.min(count, MOST_SHOWN))),
    );
  }
}

/** Null: of another family. */
function ipv4Number(address: string): number | null {
  if (address.includes(':')) return null;
  let number = 0;
  for (const part of address.split('.')) number = number * 256 + Number(part);
  return number;
}
