import { expect, test } from 'vitest';
import { collector } from './sparing-heap.ts';

test('the collector collects what nobody needs any more, and programs do not see it', () => {
  const collect = collector();
  let unneeded: object[] | null = Array.from({ length: 1_000_000 }, (_, number) => ({ number }));
  const before = process.memoryUsage().heapUsed;
  expect(unneeded).toHaveLength(1_000_000);
  unneeded = null;
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  expect(process.memoryUsage().heapUsed).toBeLessThan(before - 20_000_000);
  expect(globalThis.gc).toBeUndefined();
});
