// Waiting for conditions, never for a time to pass.
import timers from 'node:timers/promises';

// Those of the machine, also where a test stops the clock.
const pause = timers.setTimeout;
const now = performance.now.bind(performance);

/** Asks again until the answer is not null or undefined or false. The limit is only for a condition that never comes. */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  limitMs = 15_000,
  everyMs = 10,
): Promise<Exclude<T, null | undefined | false>> {
  const end = now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) {
        return answer as Exclude<T, null | undefined | false>;
      }
    } catch (error) {
      last = error;
    }
    if (now() > end) throw new Error(`it never came true that ${what}`, { cause: last });
    await pause(everyMs);
  }
}

/** Repeats the assertions until they pass, and fails as they do. The limit is only for those that never pass. */
export async function untilPasses<T>(assert: () => T | Promise<T>, limitMs = 15_000, everyMs = 10): Promise<T> {
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

/** A moment this many milliseconds from now, in the form that the proxy's client takes. */
export function within(ms: number): number {
  return performance.now() + ms;
}
