// Waiting for conditions, never for a time to pass.
import { setTimeout as pause } from 'node:timers/promises';

/** Asks again until the answer is not null or undefined or false. The limit is only for a condition that never comes. */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  limitMs = 15_000,
  everyMs = 10,
): Promise<Exclude<T, null | undefined | false>> {
  const end = performance.now() + limitMs;
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
    if (performance.now() > end) throw new Error(`it never came true that ${what}`, { cause: last });
    await pause(everyMs);
  }
}

/** A moment this many milliseconds from now, in the form that the proxy's client takes. */
export function within(ms: number): number {
  return performance.now() + ms;
}
