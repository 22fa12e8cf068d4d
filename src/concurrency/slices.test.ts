import { expect, it } from 'vitest';
import { SliceQueue } from './slices.ts';

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
