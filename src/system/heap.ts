// Settings of V8's heap. Set here and not on Node's command line: with flags given there V8 uses neither the code cache
// built into Node nor that of an earlier start, and a start takes a tenth longer.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How far the heap may grow before V8 collects: by this, but at least by 8 MB. It takes effect at the next full collection.
 * @param percent of the live data
 */
export function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** V8's own collector, which is hidden by default. null: this V8 does not offer it. */
export function collector(): NodeJS.GCFunction | null {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? (gc as NodeJS.GCFunction) : null;
}
