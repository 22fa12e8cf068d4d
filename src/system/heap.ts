// Settings of V8's heap. Set here and not on Node's command line: with flags given there V8 uses neither the code cache
// built into Node nor that of an earlier start, and a start takes a tenth longer.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Takes effect at the next collections. */
export interface Growth {
  /** By how much of the live data the heap may grow before V8 collects all of it; at least 8 MB. */
  readonly percent: number;
  /** By which factor the young heap is enlarged, up to its limit, when much in it stays alive. V8 itself makes it smaller. */
  readonly young: number;
}

export function setHeapGrowth({ percent, young }: Growth): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  setFlagsFromString(`--semi-space-growth-factor=${young}`);
}

/** V8's own collector, which is hidden by default. null: this V8 does not offer it. */
export function collector(): NodeJS.GCFunction | null {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? (gc as NodeJS.GCFunction) : null;
}
