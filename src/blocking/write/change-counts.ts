import type { BlockedEffect } from '../../store/blocked-ips-store.ts';
import type { ChangeCounts } from '../answers.ts';

export const nothingChanged: ChangeCounts = Object.freeze({ added: 0, updated: 0, removed: 0, unchanged: 0 });

/** What became of each change of a group, counted. */
export function countsOf(effects: readonly BlockedEffect[]): ChangeCounts {
  const counts = { ...nothingChanged };
  for (const effect of effects) {
    if (effect.op !== 'add') counts[effect.removed === null ? 'unchanged' : 'removed'] += 1;
    else if (effect.created) counts.added += 1;
    else counts[effect.changed ? 'updated' : 'unchanged'] += 1;
  }
  return counts;
}
