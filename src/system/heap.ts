// Settings of V8's heap. Set here and not on Node's command line: with flags given there V8 uses neither the code cache
// built into Node nor that of an earlier start, and a start takes a tenth longer.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * V8's flags to save memory, and to save time; the growth applies from the next full collection on. V8 prints an error
 * for a flag that it does not know, and goes on without it.
 */
export const heapFlags = {
  memory: ['--memory-saver-mode', '--heap-growing-percent=10'],
  time: ['--no-memory-saver-mode', '--heap-growing-percent=100'],
} as const;

/** Whether V8 saves memory at the cost of time. */
export function saveMemory(on: boolean): void {
  for (const flag of on ? heapFlags.memory : heapFlags.time) setFlagsFromString(flag);
}

/** V8's own collector, which is hidden by default. null: this V8 does not offer it. */
export function collector(): NodeJS.GCFunction | null {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? (gc as NodeJS.GCFunction) : null;
}
