import { expect, it } from 'vitest';
import { SliceQueue, sortedInSlices } from './slices.ts';

it('runs one slice of all computations per turn of the event loop', async () => {
  const slices = new SliceQueue();
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const began: number[] = [];
  const computation = async (): Promise<void> => {
    for (let slice = 0; slice < 3; slice += 1) {
      await slices.next();
      began.push(turns);
    }
  };
  await Promise.all([computation(), computation()]);
  counting = false;
  expect(new Set(began).size).toBe(6);
});

it('throws the reason of an aborted signal', async () => {
  await expect(new SliceQueue().next(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});

it('sorts in slices as an array does', async () => {
  const byOrder = (a: { order: number }, b: { order: number }) => a.order - b.order;
  for (const count of [0, 1, 999, 1_000, 1_001, 2_500, 5_003]) {
    const items = Array.from({ length: count }, (_, n) => ({ order: (n * 7_919) % 100, n }));
    expect(await sortedInSlices(items, byOrder)).toEqual(items.toSorted(byOrder));
  }
  let turns = 0;
  let sorting = true;
  const count = (): void => {
    turns += 1;
    if (sorting) setImmediate(count);
  };
  setImmediate(count);
  const slow = (a: number, b: number) => {
    const end = performance.now() + 0.002;
    while (performance.now() < end);
    return a - b;
  };
  await sortedInSlices(
    Array.from({ length: 20_000 }, (_, n) => (n * 7_919) % 20_000),
    slow,
  );
  sorting = false;
  // Half a second in slices of 5 ms, of which one may take several times as long on a busy machine.
  expect(turns).toBeGreaterThan(20);
});
