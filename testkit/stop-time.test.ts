import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from './conditions.ts';
import { stopTime } from './stop-time.ts';

it('runs timers only when the test lets time pass', async () => {
  const [before, date] = [performance.now(), Date.now()];
  using time = stopTime();
  const seen: string[] = [];
  setTimeout(() => seen.push('callback'), 5);
  void sleep(5, 'promise').then((value) => seen.push(value));
  expect(time.timers).toBe(2);
  await time.pass(4);
  expect(seen).toEqual([]);
  await time.pass(1);
  expect(seen).toEqual(['callback', 'promise']);
  expect(performance.now()).toBeGreaterThanOrEqual(before + 5);
  expect(Date.now()).toBeGreaterThanOrEqual(date + 5);
});

it('runs timers late, and nothing else, when the process is suspended', async () => {
  using time = stopTime();
  const began = performance.now();
  const seen: unknown[] = [];
  void sleep(5).then(() => seen.push('promise'));
  setTimeout(() => {
    seen.push(performance.now() - began);
    setTimeout(() => seen.push('set by a late one'), 3);
  }, 6);
  time.standStill(10);
  expect(seen).toEqual([10]);
  await Promise.resolve();
  expect(seen).toEqual([10, 'promise']);
  await time.pass(3);
  expect(seen).toEqual([10, 'promise', 'set by a late one']);
});

it('passes only as much time as the work needs', async () => {
  using time = stopTime();
  const began = performance.now();
  const work = async (): Promise<string> => {
    await sleep(12);
    await new Promise(setImmediate);
    return 'done';
  };
  expect(await time.during(work())).toBe('done');
  expect(performance.now() - began).toBe(15);
  await expect(time.during(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('aborts a promised timer as Node does', async () => {
  const real = sleep(60_000, undefined, { signal: AbortSignal.abort('early') });
  const expected = { name: 'AbortError', message: 'The operation was aborted', cause: 'early' };
  await expect(real).rejects.toMatchObject(expected);
  using time = stopTime();
  const abort = new AbortController();
  const sleeping = sleep(60_000, undefined, { signal: abort.signal });
  abort.abort('early');
  await expect(sleeping).rejects.toMatchObject(expected);
  await expect(sleep(60_000, undefined, { signal: abort.signal })).rejects.toMatchObject(expected);
  expect(time.timers).toBe(0);
});

it('does not affect waits for conditions, and resumes time at its end', async () => {
  {
    using _time = stopTime();
    let asked = 0;
    await eventually('it was asked three times', () => ++asked === 3);
  }
  const before = performance.now();
  await sleep(1);
  expect(performance.now()).toBeGreaterThan(before);
});
