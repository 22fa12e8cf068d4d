import type { ReloadAnswer } from '../api/types.ts';
import { tookText } from './took-text.ts';

/** What a safe reload did, in one sentence. */
export function reloadWords({ worker_before: before, worker_after: after, duration_ms: took }: ReloadAnswer): string {
  const worker = before === null ? `Worker ${after} runs` : `Worker ${after} took over from ${before}`;
  return `${worker}, seen after ${tookText(took)}.`;
}
