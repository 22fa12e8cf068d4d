import { expect, it } from 'vitest';
import { Mutex } from './mutex.ts';

it('runs work in the order of the calls, also after one failed', async () => {
  const mutex = new Mutex();
  const ran: string[] = [];
  const first = Promise.withResolvers<void>();
  const failing = mutex.run(async () => {
    await first.promise;
    ran.push('first');
    throw new Error('no');
  });
  const second = mutex.run(async () => {
    ran.push('second');
    return 2;
  });
  const drained = mutex.drained().then(() => ran.push('drained'));
  first.resolve();
  await expect(failing).rejects.toThrow('no');
  expect(await second).toBe(2);
  await drained;
  expect(ran).toEqual(['first', 'second', 'drained']);
});
