// Time passes only when a test says so. Sockets, files and `setImmediate` work, so the load of the machine does not
// matter.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { settled } from './conditions.ts';

// The machine's clock, also while time is stopped.
const pause = timers.setTimeout;
const stepMs = 5;
const stopped = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;

/** Time resumes when its `using` ends. */
export interface StoppedTime extends Disposable {
  /** Runs due timers in order, and the promises that they resolve. */
  pass(ms: number): Promise<void>;
  /**
   * Lets time pass until the work has ended, never faster than the machine's clock or than this process proceeds.
   * @param fasterBy if the work only waits
   */
  during<T>(work: Promise<T>, fasterBy?: number): Promise<T>;
  /** As if the process were suspended: due timers run only at the end. */
  standStill(ms: number): void;
  readonly timers: number;
}

/** Stops the wall clock, `performance.now()` and all timers. Timers still set at the end never run. */
export function stopTime(): StoppedTime {
  if (timers.setTimeout === promisedTimeout) throw new Error('time is stopped already');
  // Starts at the current time, so that earlier moments are in the past.
  const now = Math.ceil(performance.now());
  vi.useFakeTimers({ toFake: [...stopped], now: Date.now() });
  // Vitest's internal clock can do more than its API.
  const { clock } = setTimeout as unknown as { readonly clock: { readonly now: number; jump(ms: number): void } };
  const began = clock.now;
  // Vitest would leave out everything else of `performance`.
  const realNow = performance.now;
  performance.now = () => now + clock.now - began;
  const real = timers.setTimeout;
  timers.setTimeout = promisedTimeout;
  syncBuiltinESMExports();
  const goOn = (): void => {
    performance.now = realNow;
    timers.setTimeout = real;
    syncBuiltinESMExports();
    vi.useRealTimers();
  };
  // For tests that forget it.
  onTestFinished(goOn);
  return {
    [Symbol.dispose]: goOn,
    pass: async (ms) => {
      await vi.advanceTimersByTimeAsync(ms);
    },
    during: async (work, fasterBy = 1) => {
      let ended = false;
      const end = (): void => {
        ended = true;
      };
      work.then(end, end);
      for (;;) {
        await settled();
        if (ended) return await work;
        await pause(stepMs);
        await vi.advanceTimersByTimeAsync(stepMs * fasterBy);
      }
    },
    standStill: (ms) => void clock.jump(ms),
    get timers() {
      return vi.getTimerCount();
    },
  };
}

function promisedTimeout<T = void>(
  ms?: number,
  value?: T,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value as T);
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
