// How the service reaches each crash point. The type requires every point.
import type { CrashPoint } from '../src/faults/crash-point.ts';

export type CrashOperation =
  /** In an empty folder. */
  | 'first start'
  /** While no proxy runs. */
  | 'start of HAProxy'
  /** After a replacement was received and the service died. */
  | 'start with a bulk change'
  | 'block'
  | 'blocks beyond the slots'
  | 'unblock'
  | 'expiry'
  | 'replacement'
  | 'release'
  | 'key bind'
  | 'sync'
  | 'trust'
  | 'upstream'
  | 'certificate'
  | 'certificate removal'
  /** Of a certificate, at an authority. */
  | 'order'
  | 'site'
  | 'refused site'
  /** Only where a delete scans the map. */
  | 'replace';

export const operationTo: Readonly<Record<CrashPoint, CrashOperation>> = {
  'start.folders-made': 'first start',
  'start.locked': 'first start',
  'database.file-made': 'first start',
  'database.configured': 'first start',
  'migration.begun': 'first start',
  'migration.applied': 'first start',
  'migration.before-commit': 'first start',
  'migration.committed': 'first start',
  'start.database-opened': 'first start',
  'import.group-stored': 'first start',
  'start.imported': 'first start',
  'start.blocked-map-written': 'first start',
  'start.trusted-map-written': 'first start',
  'start.instance-remembered': 'first start',
  'start.certificates-written': 'first start',
  'start.server-state-made': 'first start',
  'first-key.written': 'first start',
  'first-key.stored': 'first start',
  'start.configuration-ready': 'first start',
  'proxy.spawned': 'start of HAProxy',
  'start.proxy-runs': 'first start',
  'start.known-good-recorded': 'first start',
  'start.listening': 'first start',
  'start.workers-compared': 'first start',
  'atomic-file.made': 'trust',
  'atomic-file.synced': 'trust',
  'atomic-file.renamed': 'trust',
  'atomic-file.durable': 'trust',
  'expiry.found': 'expiry',
  'group.begun': 'block',
  'group.rows-written': 'block',
  'map-file.slots-appended': 'blocks beyond the slots',
  'map-file.slots-durable': 'blocks beyond the slots',
  'map-file.slot-hidden': 'block',
  'map-file.slot-shown': 'block',
  'map-file.before-sync': 'block',
  'map-file.synced': 'block',
  'group.lines-durable': 'block',
  'group.committed': 'unblock',
  'map-file.line-hidden': 'unblock',
  'group.lines-gone': 'unblock',
  'group.before-runtime': 'block',
  'group.after-runtime': 'block',
  'expiry.done': 'expiry',
  'bulk.begun': 'replacement',
  'bulk.staged': 'replacement',
  'bulk.received': 'replacement',
  'bulk.ready': 'replacement',
  'bulk.slice-before-commit': 'replacement',
  'bulk.slice-committed': 'replacement',
  'bulk.slice-sent': 'replacement',
  'bulk.applied': 'replacement',
  'bulk.discarded': 'replacement',
  'bulk.file-written': 'replacement',
  'bulk.finished-slice-at-start': 'start with a bulk change',
  'release.due': 'release',
  'release.dropped': 'release',
  'key-bind.stored': 'key bind',
  'key-bind.moved': 'key bind',
  'map-rewrite.begun': 'sync',
  'map-rewrite.written': 'sync',
  'map-rewrite.sealed': 'sync',
  'map-rewrite.before-rename': 'sync',
  'map-rewrite.renamed': 'sync',
  'map-rewrite.durable': 'sync',
  'trusted.stored': 'trust',
  'trusted.written': 'trust',
  'trusted.after-runtime': 'trust',
  'upstreams.stored': 'upstream',
  'upstreams.written': 'upstream',
  'upstreams.after-runtime': 'upstream',
  'tls.file-written': 'certificate',
  'tls.list-written': 'certificate',
  'tls.worker-updated': 'certificate',
  'tls.installed': 'certificate',
  'tls.worker-removed': 'certificate removal',
  'tls.list-shortened': 'certificate removal',
  'tls.file-removed': 'certificate removal',
  'acme.planned': 'order',
  'acme.created': 'order',
  'acme.showing': 'order',
  'acme.told': 'order',
  'acme.key-stored': 'order',
  'acme.finalized': 'order',
  'acme.issued': 'order',
  'acme.stored': 'order',
  'sync.file-written': 'sync',
  'sync.current-compared': 'sync',
  'replace.prepared': 'replace',
  'replace.slice-filled': 'replace',
  'replace.counted': 'replace',
  'replace.committed': 'replace',
  'replace.settled': 'replace',
  'backup.parts-written': 'site',
  'backup.renamed': 'site',
  'reload.backed-up': 'site',
  'reload.sites-map-written': 'site',
  'reload.candidate-written': 'site',
  'reload.before-validation': 'site',
  'reload.validated': 'site',
  'reload.noted': 'site',
  'candidate.renamed': 'site',
  'reload.switched': 'site',
  'reload.maps-written': 'site',
  'reload.asked': 'site',
  'reload.confirmed': 'site',
  'reload.verified': 'site',
  'reload.sites-stored': 'site',
  'known-good.written': 'site',
  'known-good.linked': 'site',
  'reload.known-good-recorded': 'site',
  'reload.done': 'site',
  'reload.recorded': 'site',
  'rollback.begun': 'refused site',
  'rollback.files-written': 'refused site',
  'rollback.switched': 'refused site',
  'rollback.maps-written': 'refused site',
  'rollback.reloaded': 'refused site',
};
