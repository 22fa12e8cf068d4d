import type { ApiProblem } from '../../client/client.ts';
import { count, counted } from '../output/times.ts';

/** `167,491 of 168,608 entries would go away, more than half of the set`; `all 12 entries would go away`. */
export function shrinkText({ problem, message }: ApiProblem): string {
  const { would_remove: going, current_total: total } = problem;
  if (typeof going !== 'number' || typeof total !== 'number') return message;
  if (going === total) return `all ${counted(total, 'entry', 'entries')} would go away`;
  return `${count(going)} of ${counted(total, 'entry', 'entries')} would go away, more than half of the set`;
}
