import { expect, it } from 'vitest';
import { stopTime } from '../../testkit/stop-time.ts';
import { KickablePause, pause, WakeablePause, withTimeout } from './pause.ts';

it('ends a pause when its signal aborts, without an error', async () => {
  using time = stopTime();
  const stop = new AbortController();
  const paused = pause(60_000, { signal: stop.signal });
  stop.abort();
  await paused;
  await pause(60_000, { signal: stop.signal });
  expect(time.timers).toBe(0);
});

it('ends only the pause under way when woken', async () => {
  using time = stopTime();
  const { signal } = new AbortController();
  const timer = new WakeablePause();
  timer.wake();
  let ended = false;
  const paused = timer.wait(1_000, { signal }).then(() => {
    ended = true;
  });
  await time.pass(999);
  expect(ended).toBe(false);
  timer.wake();
  await paused;
  expect(time.timers).toBe(0);
});

it('remembers a kick until the next work begins', async () => {
  using time = stopTime();
  const { signal } = new AbortController();
  const timer = new KickablePause();
  timer.kick();
  timer.begin();
  expect(timer.kicked).toBe(false);
  const paused = timer.wait(1_000, { signal });
  timer.kick();
  await paused;
  expect(timer.kicked).toBe(true);
  expect(time.timers).toBe(0);
});

it('resolves to null when the work takes longer, and leaves no timer when it does not', async () => {
  using time = stopTime();
  const late = Promise.withResolvers<string>();
  const waited = withTimeout(late.promise, 100);
  await time.pass(100);
  expect(await waited).toBeNull();
  late.reject(new Error('ignored'));
  expect(await withTimeout(Promise.resolve('in time'), 100)).toBe('in time');
  await expect(withTimeout(Promise.reject(new Error('of the work')), 100)).rejects.toThrow('of the work');
  expect(time.timers).toBe(0);
});
