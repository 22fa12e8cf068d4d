// Settings of V8's heap. Set here and not on Node's command line: with flags given there V8 uses neither the code cache
// built into Node nor that of an earlier start, and a start takes a tenth longer.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * V8 lets the heap grow to four times the live data before it collects; twice takes a third less memory at the peak of a bulk
 * change, for a few percent of its time.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/** V8's own collector, which is hidden by default. null: this V8 does not offer it. */
export function collector(): NodeJS.GCFunction | null {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? (gc as NodeJS.GCFunction) : null;
}
