import { setImmediate } from 'node:timers/promises';
import { collector } from '../src/system/heap.ts';

/** Bytes of the data that are alive in this process, buffers included. Collects all garbage. */
export async function liveBytes(): Promise<number> {
  const collect = collector();
  if (collect === null) throw new Error('this Node has no collector on demand');
  // An object that was accessed in a turn of the event loop lives until its end.
  await setImmediate();
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
