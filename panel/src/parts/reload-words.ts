import type { ReloadAnswer } from '../api/types.ts';
import { elapsedText } from './age.tsx';

/** The result of a safe reload in one sentence. */
export function reloadWords({ worker_before: before, worker_after: after, duration_ms: took }: ReloadAnswer): string {
  const replaced = before === null ? 'started' : `replaced worker ${before}`;
  return `Worker ${after} ${replaced} in ${elapsedText(took)}.`;
}
