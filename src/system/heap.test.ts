import { spawnSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collector, heapFlags } from './heap.ts';

test('the collector frees unreachable memory and is not exposed to programs', async () => {
  const collect = collector();
  let unneeded: object | null = { large: new Array(1_000).fill('x') };
  const watched = new WeakRef(unneeded);
  unneeded = null;
  // An object that was accessed in a turn of the event loop lives until its end.
  await setImmediate();
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  expect(watched.deref()).toBeUndefined();
  expect(globalThis.gc).toBeUndefined();
});

test('V8 knows the flags', () => {
  const program = `for (const flag of process.argv.slice(1)) require('node:v8').setFlagsFromString(flag)`;
  const { stderr } = spawnSync(process.execPath, ['-e', program, '--', ...heapFlags.memory, ...heapFlags.time]);
  expect(stderr.toString()).toBe('');
});
