// A test hook: the moments at which a test may let the service die, as a power failure or a `kill -9` would. Unarmed,
// which it is unless a variable was set at start, a point does nothing; nothing that comes over the network arms one.
// ADR 0022 says why it is in the product's code.
import { writeSync } from 'node:fs';

/** `<name>` or `<name>:<n>`: the service kills itself when it gets to this point for the nth time since its start. */
export const crashVariable = 'PROXY_MANAGER_CRASH_AT';

/** In the order in which a run gets to them; test/crash-points.test.ts lets the service die at each. */
export const crashPoints = [
  // The first start, and what every start does.
  'start.folders-made',
  'start.locked',
  'database.file-made',
  'database.configured',
  'migration.begun',
  'migration.applied',
  'migration.before-commit',
  'migration.committed',
  'start.database-opened',
  'import.group-stored',
  'start.imported',
  'start.blocked-map-written',
  'start.trusted-map-written',
  'start.instance-remembered',
  'start.server-state-made',
  'first-key.written',
  'first-key.stored',
  'start.configuration-ready',
  'proxy.spawned',
  'start.proxy-runs',
  'start.known-good-recorded',
  'start.listening',
  'start.workers-compared',
  // Whatever is written whole: keys, markers, the trusted map, the sites map, candidates.
  'atomic-file.made',
  'atomic-file.synced',
  'atomic-file.renamed',
  'atomic-file.durable',
  // A group: blocks, unblocks, expired entries.
  'expiry.found',
  'group.begun',
  'group.rows-written',
  'map-file.slots-appended',
  'map-file.slots-durable',
  'map-file.slot-hidden',
  'map-file.slot-shown',
  'map-file.before-sync',
  'map-file.synced',
  'group.lines-durable',
  'group.committed',
  'map-file.line-hidden',
  'group.lines-gone',
  'group.before-runtime',
  'group.after-runtime',
  'expiry.done',
  // Batches and whole sets.
  'bulk.begun',
  'bulk.staged',
  'bulk.received',
  'bulk.ready',
  'bulk.slice-before-commit',
  'bulk.slice-committed',
  'bulk.slice-sent',
  'bulk.applied',
  'bulk.discarded',
  'bulk.file-written',
  'bulk.finished-slice-at-start',
  // The map file, written anew.
  'map-rewrite.begun',
  'map-rewrite.written',
  'map-rewrite.sealed',
  'map-rewrite.before-rename',
  'map-rewrite.renamed',
  'map-rewrite.durable',
  // Trusted addresses.
  'trusted.stored',
  'trusted.written',
  'trusted.after-runtime',
  // Sync.
  'sync.file-written',
  'sync.current-compared',
  // A worker's map, replaced at once: only where a delete scans the map (before HAProxy 2.9).
  'replace.prepared',
  'replace.slice-filled',
  'replace.counted',
  'replace.committed',
  'replace.settled',
  // The safe reload.
  'backup.parts-written',
  'backup.renamed',
  'reload.backed-up',
  'reload.sites-map-written',
  'reload.candidate-written',
  'reload.before-validation',
  'reload.validated',
  'reload.noted',
  'candidate.renamed',
  'reload.switched',
  'reload.maps-written',
  'reload.asked',
  'reload.confirmed',
  'reload.verified',
  'reload.sites-stored',
  'known-good.written',
  'known-good.linked',
  'reload.known-good-recorded',
  'reload.done',
  'reload.recorded',
  // Its rollback.
  'rollback.begun',
  'rollback.files-written',
  'rollback.switched',
  'rollback.maps-written',
  'rollback.reloaded',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

export class UnknownCrashPoint extends Error {
  override readonly name = 'UnknownCrashPoint';
}

/** State of the process, like the signal that ends it: nobody holds it, so that no constructor has to know of it. */
let armed: CrashPoint | null = null;
let passesLeft = 0;

/**
 * To be called once, at start.
 * @param wanted the variable's value; undefined or empty: nothing is armed
 * @returns whether a point is armed
 * @throws UnknownCrashPoint naming the variable, for a name that is not on the list or a count that is none
 */
export function armCrashPoint(wanted: string | undefined): boolean {
  armed = null;
  if (wanted === undefined || wanted === '') return false;
  const [, name, count = '1'] = /^(.*?)(?::([1-9]\d{0,8}))?$/.exec(wanted) ?? [];
  const point = crashPoints.find((known) => known === name);
  if (point === undefined) {
    throw new UnknownCrashPoint(
      `${crashVariable}=${wanted}: there is no such point; it is a test hook, leave it unset, or use one of ${crashPoints.join(', ')}, with :n for the nth time`,
    );
  }
  armed = point;
  passesLeft = Number(count);
  return true;
}

/** Does nothing, unless this very point is armed: then the process ends here and now, and no clean-up runs. */
export function crashPoint(point: CrashPoint): void {
  if (armed !== point) return;
  passesLeft -= 1;
  if (passesLeft > 0) return;
  writeSync(2, `${JSON.stringify({ killed_at: point })}\n`);
  process.kill(process.pid, 'SIGKILL');
}
