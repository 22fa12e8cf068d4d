// What a start imports from map files before it rewrites them: entries from before the service, and those of its own
// files that the database lacks, because of a crash between a line and its commit, or at the operator's request.
import type { AuditRecorder } from '../audit/audit-recorder.ts';
import { lastChangeOf, newerBy, newerMapFile, recoveryOptions } from '../blocking/write/newer-map-file.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { type MapFileIdentity, readMapFile, readMapFileHeader } from '../haproxy/map-file/map-file.ts';
import type { Settings } from '../settings.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { InstanceStore } from '../store/instance-store.ts';
import type { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import type { Log } from '../telemetry/log.ts';
import { importMapFile, importTrustedMap, logTrustDrift, type MapImport, readLine } from './first-import.ts';

const recoveredBy = 'recovered:map-file';

interface TakeOverParts {
  readonly settings: Pick<Settings, 'blockedMap' | 'trustedMap' | 'acceptMapFile' | 'adoptMapFile'>;
  readonly instance: InstanceStore;
  readonly store: Pick<BlockedIpsStore, 'takeOver' | 'presentOf'>;
  readonly log: Log;
  readonly now: () => Date;
  /** False: a first start, at which `takeOverMapFiles` imports existing entries. */
  readonly knownInstance: boolean;
}

/**
 * Before a start or a repair rewrites the files of a known database: imports what `recoverFromMapFile` does, with an
 * audit row, and logs how the trusted map file differs from the database.
 * @throws ServiceError as `recoverFromMapFile`; nothing was changed
 */
export async function reviewMapFiles(
  parts: TakeOverParts & {
    readonly trusted: Pick<TrustedIpsStore, 'list'>;
    readonly audit: Pick<AuditRecorder, 'done'>;
  },
): Promise<void> {
  const { settings, trusted, audit, knownInstance, log } = parts;
  const recovered = await recoverFromMapFile(parts);
  if (recovered !== null && recovered.imported > 0) recordImport(audit, { ...recovered, blocked_by: recoveredBy });
  if (knownInstance) await logTrustDrift(settings.trustedMap, trusted, log);
}

/**
 * Imports what only the blocked map file contains: the change of which a crash left lines without rows, or with
 * `adoptMapFile` every entry. Call it before anything changes the blocked set.
 * @throws ServiceError when the file is newer than that, or foreign, and its loss was not accepted; nothing was changed
 */
export async function recoverFromMapFile(parts: TakeOverParts): Promise<MapImport | null> {
  const { settings, instance, log } = parts;
  const path = settings.blockedMap;
  const identity = await readMapFileHeader(path);
  if (!identity.exists) return null;
  if (identity.header === null && !settings.acceptMapFile && !settings.adoptMapFile) await refuseOthersList(parts);
  const generation = await instance.generation();
  const newer = identity.header?.database === instance.databaseId ? newerBy(identity, generation) : 'none';
  if (newer === 'more' && !settings.acceptMapFile && !settings.adoptMapFile) {
    throw newerMapFile(path, identity, generation);
  }
  if (!settings.adoptMapFile && newer !== 'one') {
    // Older versions changed the set without a number: their copy must not look as new as later ones.
    if (newer === 'none' && identity.header !== null && identity.last === null) {
      await instance.raiseGeneration(generation + 2);
    }
    return null;
  }
  const about = { path, file: lastChangeOf(identity), database: generation };
  if (settings.adoptMapFile) log.warn('Adopting the entries of the map file that the database lacks', about);
  else log.warn('Map file holds a change that the database lacks; keeping its lines as blocks', about);
  const done = await recover(parts, identity, settings.adoptMapFile ? null : generation);
  // Last: repeated after a crash, it finds the file newer again. No later change may reuse a number of the file.
  if (identity.header?.database === instance.databaseId) await instance.raiseGeneration(lastChangeOf(identity));
  return done;
}

/** @throws ServiceError when a foreign file blocks what the database does not; nothing was changed */
async function refuseOthersList({ settings, store, knownInstance }: TakeOverParts): Promise<void> {
  if (!knownInstance) return;
  let [others, first] = [0, ''];
  for await (const lines of readMapFile(settings.blockedMap)) {
    const texts = lines.map(readLine).flatMap((read) => (typeof read === 'string' ? [] : [read.text]));
    const present = await store.presentOf(texts);
    const absent = texts.filter((text) => !present.has(text));
    first ||= absent[0] ?? '';
    others += absent.length;
  }
  if (others === 0) return;
  throw new ServiceError(
    codes.ForeignMapFile,
    'update map file',
    `the map file ${settings.blockedMap} was not written by proxy-manager, and holds ${others} ${others === 1 ? 'entry' : 'entries'} that the database lacks (the first is ${first}); ${recoveryOptions}`,
  );
}

/** @param since only lines of later changes; null: all */
function recover({ settings, store, log, now }: TakeOverParts, { header }: MapFileIdentity, since: number | null) {
  return importMapFile(
    {
      path: settings.blockedMap,
      blockedBy: recoveredBy,
      // A line that a crash left after its unblock was committed belongs to an earlier change.
      ...(since === null
        ? {}
        : { only: (line) => (line.kind === 'entry' ? (line.generation ?? header?.generation ?? 0) > since : false) }),
    },
    store,
    log,
    now(),
  );
}

/** At the first start of a database: imports foreign map files. Repeated after a crash. */
export async function takeOverMapFiles(
  parts: TakeOverParts & { readonly trusted: TrustedIpsStore; readonly audit: Pick<AuditRecorder, 'done'> },
): Promise<void> {
  const { settings, instance, store, trusted, audit, log, now } = parts;
  const blocked = await readMapFileHeader(settings.blockedMap);
  // Already written from this database, so both were imported before.
  if (blocked.header?.database === instance.databaseId) return;
  if (blocked.exists) {
    const from = { path: settings.blockedMap, blockedBy: 'import:map-file' };
    recordImport(audit, { ...(await importMapFile(from, store, log, now())) });
  }
  if (!(await readMapFileHeader(settings.trustedMap)).exists) return;
  const done = await importTrustedMap(settings.trustedMap, trusted, log, now());
  if (done.imported > 0) recordImport(audit, { ...done, map: 'trusted' });
}

function recordImport(audit: Pick<AuditRecorder, 'done'>, details: Record<string, unknown>): void {
  audit.done({ operation: 'import_map_file', keyName: null, source: null, requestId: null, details });
}
