import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TurnQueue } from './turn-queue.ts';
import { WaitedTurns } from './waited-turns.ts';

it('what turns waited is counted, what they did is not, and their outcome is the caller’s', async () => {
  const queue = new TurnQueue();
  const turns = new WaitedTurns(queue);
  expect(await turns.take('bulk', async () => await sleep(60, 'done'))).toBe('done');
  expect(turns.waitedMs).toBeLessThan(30);
  const before = queue.take('urgent', async () => await sleep(60));
  await expect(turns.take('bulk', async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await before;
  expect(turns.waitedMs).toBeGreaterThan(50);
});
