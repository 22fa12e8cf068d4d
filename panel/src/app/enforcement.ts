import type { Health } from '../api/types.ts';
import type { Tone } from '../parts/state-mark.tsx';

/** Above this, in milliseconds, an answer is no longer what is true now. */
export const staleAfterMs = 7_000;

/** Whether an answer of `age` milliseconds no longer tells what is true now. */
export function isStale(age: number | null, reachable: boolean): boolean {
  return age !== null && (!reachable || age > staleAfterMs);
}

/**
 * Whether blocking is enforced, in one tone and a few words. Only a fresh answer that says so is green, and only while
 * the service answers.
 * @param age milliseconds since the answer came; null: none has come yet
 * @param reachable whether the last request of the page was answered
 */
export function enforcement(
  health: Health | undefined,
  age: number | null,
  reachable: boolean,
): { readonly tone: Tone; readonly words: string } {
  if (health === undefined || age === null) return { tone: 'unknown', words: 'Not known yet' };
  if (isStale(age, reachable)) return { tone: 'unknown', words: 'Not known: the service does not answer' };
  if (health.status === 'ok') return { tone: 'good', words: 'Blocking is enforced' };
  if (health.status === 'down') return { tone: 'bad', words: 'Blocking is not served' };
  return { tone: 'warn', words: 'Blocking may not be enforced everywhere' };
}
