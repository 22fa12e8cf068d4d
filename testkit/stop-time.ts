// Time that passes only when a test says so. Sockets, files and `setImmediate` work as ever, so what a test sees does not
// depend on how busy the machine is.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { settled } from './conditions.ts';

// The machine's, also while time is stopped.
const pause = timers.setTimeout;
const stepMs = 5;
const stopped = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;

/** Time goes on when its `using` ends. */
export interface StoppedTime extends Disposable {
  /** Lets time pass: timers that are due run in their order, and promises that they resolve are followed. */
  pass(ms: number): Promise<void>;
  /**
   * Lets time pass until the work has ended: never faster than the machine's clock, and only as far as this process comes
   * forward. What a busy machine keeps waiting has as much time as on an idle one.
   * @param fasterBy where nothing but time is waited for
   */
  during<T>(work: Promise<T>, fasterBy?: number): Promise<T>;
  /** Lets time pass in which the process stands still: timers that are due run only at the end, and nothing else does. */
  standStill(ms: number): void;
  /** How many timers are set. */
  readonly timers: number;
}

/**
 * Stops the wall clock, `performance.now()` and all timers of this process, those of `node:timers/promises` too. Timers
 * that are still set when time goes on never run. The waits of `conditions.ts` use the machine's clock.
 */
export function stopTime(): StoppedTime {
  if (timers.setTimeout === promisedTimeout) throw new Error('time is stopped already');
  // Both go on from where they are, so that what was noted before lies in the past.
  const now = Math.ceil(performance.now());
  vi.useFakeTimers({ toFake: [...stopped], now: Date.now() });
  // What vitest makes its timers of can do more than vitest shows.
  const { clock } = setTimeout as unknown as { readonly clock: { readonly now: number; jump(ms: number): void } };
  const began = clock.now;
  // Not faked by vitest, which would leave out all else that `performance` can do.
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
  // A test that forgets it takes nothing from the next one.
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

/** `setTimeout` of `node:timers/promises`, made of the global one. */
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
