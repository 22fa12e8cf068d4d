import { execFileSync } from 'node:child_process';
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

// It would ignore them silently.
test('V8 has the flags', () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const flag of [...heapFlags.memory, ...heapFlags.time]) {
    const name = flag.replace(/^--(no-)?/, '--').replace(/=.*$/, '');
    expect(options).toContain(`${name} (`);
  }
});
