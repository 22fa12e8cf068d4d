// Tests wait for conditions, never for a time.
import timers from 'node:timers/promises';

// The machine's clock, also while a test stops time.
const pause = timers.setTimeout;
const now = performance.now.bind(performance);

/**
 * Ends only a wait for what never becomes true. 60 s were too few on a machine that ran at a quarter of the usual speed.
 */
export const patienceMs = 180_000;

/** Ends only a test that hangs: the waits for a condition end much earlier. */
export const testLimitMs = 5 * patienceMs;

const usualFirstMs = 5;
const usualLongestMs = 100;

/** Polls until the answer is not null, undefined or false; less and less often, because polling slows the service. */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  limitMs = patienceMs,
  firstMs = usualFirstMs,
  longestMs = Math.max(firstMs, usualLongestMs),
): Promise<Exclude<T, null | undefined | false>> {
  const end = now() + limitMs;
  let last: unknown;
  for (let waitMs = firstMs; ; waitMs = Math.min(waitMs * 1.3, longestMs)) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) {
        return answer as Exclude<T, null | undefined | false>;
      }
    } catch (error) {
      last = error;
    }
    if (now() > end) throw new Error(`it never came true that ${what}`, { cause: last });
    await pause(waitMs);
  }
}

/** Repeats the assertions until they pass, and fails as they do. */
export async function untilPasses<T>(assert: () => T | Promise<T>, limitMs = patienceMs, everyMs = 20): Promise<T> {
  const end = now() + limitMs;
  for (;;) {
    try {
      return await assert();
    } catch (error) {
      if (now() > end) throw error;
    }
    await pause(everyMs);
  }
}

/** Runs everything that waits only for its turn of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A deadline this many milliseconds from now. */
export function within(ms: number): number {
  return performance.now() + ms;
}
