import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collector } from './heap.ts';

test('the collector collects what nobody needs any more, and programs do not see it', async () => {
  const collect = collector();
  let unneeded: object | null = { large: new Array(1_000).fill('x') };
  const watched = new WeakRef(unneeded);
  unneeded = null;
  // What is looked at in a turn of the event loop lives as long as that.
  await setImmediate();
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  expect(watched.deref()).toBeUndefined();
  expect(globalThis.gc).toBeUndefined();
});
