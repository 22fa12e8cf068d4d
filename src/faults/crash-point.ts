// A test hook: the points at which a test may kill the service, like a power failure or `kill -9`. A point does nothing
// unless a variable armed it at start; no request can arm one. ADR 0022 says why it is in the product's code.
import { writeSync } from 'node:fs';

/** `<name>` or `<name>:<n>`: the service kills itself when it reaches this point for the nth time since its start. */
export const crashVariable = 'PROXY_MANAGER_CRASH_AT';

/** In the order in which a run reaches them; test/crash-points.test.ts kills the service at each. */
export const crashPoints = [
  // The first start, and every start.
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
  'start.certificates-written',
  'start.server-state-made',
  'first-key.written',
  'first-key.stored',
  'start.configuration-ready',
  'proxy.spawned',
  'start.proxy-runs',
  'start.known-good-recorded',
  'start.listening',
  'start.workers-compared',
  // Files that are replaced atomically: keys, markers, the trusted map, the sites map, candidates.
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
  // Bulk changes.
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
  // The release of a source.
  'release.due',
  'release.dropped',
  'key-bind.stored',
  'key-bind.moved',
  // A rewrite of the map file.
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
  // Upstreams.
  'upstreams.stored',
  'upstreams.written',
  'upstreams.after-runtime',
  // Certificates.
  'tls.file-written',
  'tls.list-written',
  'tls.worker-updated',
  'tls.installed',
  'tls.worker-removed',
  'tls.list-shortened',
  'tls.file-removed',
  // Orders of certificates.
  'acme.planned',
  'acme.created',
  'acme.showing',
  'acme.told',
  'acme.key-stored',
  'acme.finalized',
  'acme.issued',
  'acme.stored',
  'sync.file-written',
  'sync.current-compared',
  // The replacement of a worker's map: only where a delete scans the map (before HAProxy 2.9).
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

class UnknownCrashPoint extends Error {
  override readonly name = 'UnknownCrashPoint';
}

/** State of the process, so that no constructor has to pass it on. */
let armed: CrashPoint | null = null;
let passesLeft = 0;

/**
 * Call once, at start.
 * @param wanted the variable's value; undefined or empty: nothing is armed
 * @returns whether a point is armed
 * @throws UnknownCrashPoint naming the variable, for an unknown name or an invalid count
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

/** If exactly this point is armed, the process ends at once, without any clean-up. */
export function crashPoint(point: CrashPoint): void {
  if (armed !== point) return;
  passesLeft -= 1;
  if (passesLeft > 0) return;
  writeSync(2, `${JSON.stringify({ killed_at: point })}\n`);
  process.kill(process.pid, 'SIGKILL');
}
