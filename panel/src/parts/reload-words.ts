import type { ReloadAnswer } from '../api/types.ts';
import { elapsedText } from './age.tsx';

export function reloadWords({ worker_before: before, worker_after: after, duration_ms: took }: ReloadAnswer): string {
  const replaced = before === null ? 'started' : `replaced worker ${before}`;
  return `Worker ${after} ${replaced} in ${elapsedText(took)}.`;
}
