import { expect, it } from 'vitest';
import { stopTime } from '../../../testkit/stop-time.ts';
import { TurnQueue, WaitedTurns } from '../write/turn-queue.ts';

it('what turns waited is counted, what they did is not, and their outcome is the caller’s', async () => {
  using time = stopTime();
  const queue = new TurnQueue();
  const turns = new WaitedTurns(queue);
  const work = async (): Promise<string> => {
    await time.pass(60);
    return 'done';
  };
  expect(await turns.take('bulk', work)).toBe('done');
  expect(turns.waitedMs).toBe(0);
  const before = queue.take('urgent', () => time.pass(70));
  await expect(turns.take('bulk', async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await before;
  expect(turns.waitedMs).toBe(70);
});
