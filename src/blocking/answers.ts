import type { BulkAnswer } from '../api/blocked-ips-bulk.ts';
import type { RuntimeMapFailure, RuntimeReport } from '../api/changes.ts';
import type { BlockedChange, BlockedEffect } from '../store/blocked-ips-store.ts';

export const nothingChanged: ChangeCounts = Object.freeze({ added: 0, updated: 0, removed: 0, unchanged: 0 });

export function countsOf(effects: readonly BlockedEffect[]): ChangeCounts {
  const counts: { -readonly [Name in keyof ChangeCounts]: ChangeCounts[Name] } = { ...nothingChanged };
  for (const effect of effects) {
    if (effect.op !== 'add') {
      if ((effect.dropped ?? []).length > 0) counts.still_claimed_total = (counts.still_claimed_total ?? 0) + 1;
      else counts[effect.removed === null ? 'unchanged' : 'removed'] += 1;
    } else if (effect.created) counts.added += 1;
    else counts[effect.changed ? 'updated' : 'unchanged'] += 1;
  }
  return counts;
}

export type ChangeCounts = Readonly<
  Pick<BulkAnswer, 'added' | 'updated' | 'removed' | 'unchanged' | 'still_claimed_total'>
>;

/** Removals that had nothing to remove. Others lost a claim, which an undo restores, or another source claims them. */
export function notBlocked(changes: readonly BlockedChange[], effects: readonly BlockedEffect[]): string[] {
  const asked = new Set(changes.flatMap(({ op, entry }) => (op === 'remove' ? [entry.text] : [])));
  const blocked = new Set(changes.flatMap(({ entry }, index) => (wasBlocked(effects[index]) ? [entry.text] : [])));
  return [...asked].filter((text) => !blocked.has(text));
}

function wasBlocked(effect: BlockedEffect | undefined): boolean {
  return effect?.op === 'remove' && (effect.removed !== null || effect.stillClaimedBy !== undefined);
}

const shownFailures = 100;

/**
 * @param reloadScheduled the current worker is not verified, even if no address can be named.
 * @param total of which `failures` may be only the first
 */
export function runtimeReport(
  failures: readonly RuntimeMapFailure[],
  reloadScheduled: boolean,
  total: number = failures.length,
): RuntimeReport {
  return {
    runtime_map_updated: total === 0 && !reloadScheduled,
    runtime_map_failures: failures.slice(0, shownFailures),
    runtime_map_failures_total: total,
    reload_scheduled: reloadScheduled,
  };
}
