// V8's heap as the service wants it. Said here and not on Node's command line: with these flags given there V8 does not
// take the code that Node was built with, nor any that a start before compiled, and a start takes a tenth longer.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * V8 lets a heap grow to four times what is alive before it collects; twice is a third less memory at the peak of a big
 * change, for a few percent of its time.
 */
export function growSparingly(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/** V8's own collector, which programs do not see. null: this V8 does not give it. */
export function collector(): NodeJS.GCFunction | null {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? (gc as NodeJS.GCFunction) : null;
}
