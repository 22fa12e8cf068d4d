// Checks permissions before anything is opened, the log's first: which files another user could read, replace or create
// first. Foreign rights to what decides about access and blocks (database, state folder, key) prevent the start;
// others, which an operator may want, are logged with the command that fixes them (ADR 0025).
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { type PathRights, pathRights } from '../files/path-safety.ts';
import { type Settings, usesCertificates } from '../settings.ts';
import { databaseFile } from '../store/database-file.ts';
import type { Log } from '../telemetry/log.ts';
import { StartRefused } from './open-state.ts';

interface Kept {
  readonly what: string;
  readonly path: string;
  /** Grants access: no other user may own it, or should read it. */
  readonly secret: boolean;
  /** HAProxy reads it, or it identifies the HAProxy process. */
  readonly proxys: boolean;
}

interface RightsOptions {
  /** Default true. False: only logged. */
  readonly refuses?: boolean;
  readonly ownUid?: number;
}

/** @throws StartRefused with every reason and the command that fixes each */
export function checkRights(settings: Settings, log: Log, options: RightsOptions = {}): void {
  const { refuses = true, ownUid = getuid?.() ?? 0 } = options;
  const refusals = new Set<string>();
  const warnings = new Map<string, string>();
  for (const kept of keptFiles(settings)) {
    const rights = pathRights(kept.path, ownUid);
    for (const text of refusalsOf(kept, rights, ownUid)) refusals.add(text);
    for (const { about, text } of warningsOf(kept, rights, ownUid)) {
      if (!warnings.has(about)) warnings.set(about, text);
    }
  }
  for (const text of warnings.values()) log.warn('File permissions are wider than necessary', { what: text });
  if (!refuses) for (const text of refusals) log.warn('File permissions are unsafe', { what: text });
  else if (refusals.size > 0) throw new StartRefused([...refusals].join('; '));
}

/**
 * Only the files that HAProxy reads, before it is started without the service: one that other users could replace would
 * run with the starting user's rights.
 * @throws StartRefused
 */
export function checkProxyRights(settings: Settings, ownUid: number = getuid?.() ?? 0): void {
  const refusals = keptFiles(settings)
    .filter(({ proxys }) => proxys)
    .flatMap((kept) => refusalsOf(kept, pathRights(kept.path, ownUid), ownUid));
  if (refusals.length > 0) throw new StartRefused([...new Set(refusals)].join('; '));
}

/**
 * The log alone, before it is opened: a replaced file, or another user's link, could redirect our writes to any file
 * that we may write to.
 * @throws StartRefused
 */
export function checkLogRights({ logFile }: Settings, ownUid: number = getuid?.() ?? 0): void {
  if (logFile === '-') return;
  const log: Kept = { what: 'the log', path: logFile, secret: false, proxys: false };
  const refusals = refusalsOf(log, pathRights(logFile, ownUid), ownUid);
  const link = lstatSync(logFile, { throwIfNoEntry: false });
  if (link?.isSymbolicLink() === true && link.uid !== 0 && link.uid !== ownUid)
    refusals.push(`the link ${logFile} belongs to user ${link.uid}, who could redirect the log: rm ${logFile}`);
  if (refusals.length > 0) throw new StartRefused(refusals.join('; '));
}

/**
 * Refuses root for the state of a service that runs as another user: that user could not open files created by root,
 * the log first. The owner of the folder shows the right user.
 * @throws StartRefused
 */
export function checkUser({ stateDir }: Settings, ownUid: number = getuid?.() ?? 0): void {
  const uid = statSync(stateDir, { throwIfNoEntry: false })?.uid ?? ownUid;
  if (ownUid !== 0 || uid === 0) return;
  throw new StartRefused(
    `the state folder ${stateDir} belongs to user ${uid}, so the service runs as that user: run this as that user too, ` +
      `with the settings of the service, not as root: runuser -u "$(id -nu ${uid})" -- proxy-manager …`,
  );
}

function keptFiles(settings: Settings): readonly Kept[] {
  const database = databaseFile(settings.databaseUrl);
  const kept = (
    what: string,
    path: string | null,
    { secret = false, proxys = false }: { readonly secret?: boolean; readonly proxys?: boolean } = {},
  ): Kept[] => (path === null ? [] : [{ what, path, secret, proxys }]);
  const secret = { secret: true };
  const proxys = { proxys: true };
  return [
    // HAProxy reads the addresses of its servers there (server-state).
    ...kept('the state folder', settings.stateDir, { ...secret, ...proxys }),
    ...kept('the key file', join(settings.stateDir, 'api-key'), secret),
    ...kept('the key file', settings.apiKeyFile, secret),
    ...kept('the private key of the API', settings.listenKey ?? settings.listenCertificate, secret),
    ...['', '-wal', '-shm', '-journal'].flatMap((suffix) => kept('the database', `${database}${suffix}`, secret)),
    ...kept('the configuration', settings.configFile, proxys),
    ...kept('the template', settings.template),
    ...kept('the denied page', settings.deniedPage),
    ...kept('the blocked map', settings.blockedMap, proxys),
    ...kept('the trusted map', settings.trustedMap, proxys),
    ...kept('the upstream map', settings.upstreamsMap, proxys),
    ...kept('the PROXY protocol map', settings.proxyProtocolMap, proxys),
    ...kept('the map of https settings', settings.attached ? null : settings.httpsSitesMap, proxys),
    ...kept('the map of ACME challenges', settings.acmeChallengesMap, proxys),
    ...kept('the sites map', settings.attached ? null : settings.sitesMap, proxys),
    ...kept('the folder of certificates', usesCertificates(settings) ? settings.tlsDir : null, {
      ...secret,
      ...proxys,
    }),
    ...kept('the secret file', usesCertificates(settings) ? settings.secretFile : null, secret),
    ...kept('the hook for DNS records', settings.acme.dnsHook),
    ...kept('the backup folder', settings.attached ? null : settings.backupDir),
    ...kept('the pid file', settings.pidFile, proxys),
    ...kept('the log', settings.logFile === '-' ? null : settings.logFile),
  ];
}

function refusalsOf({ what, path, secret }: Kept, rights: PathRights, ownUid: number): string[] {
  const refusals = rights.writable.map(({ path: at, sticky }) => {
    if (at === path) return `every user may write to ${what} ${path}: chmod o-w ${path}`;
    // A folder such as /tmp is meant for all users.
    const fix = sticky ? 'name a folder of its own' : `chmod o-w ${at}`;
    return `every user may write to ${at}, and so could replace ${what} ${path}: ${fix}`;
  });
  for (const { path: at, uid, isFolderAbove } of rights.foreignOwners) {
    if (secret && !isFolderAbove) refusals.push(`${what} ${at} belongs to user ${uid}: chown ${ownUid} ${at}`);
  }
  return refusals;
}

interface Warning {
  /** A folder above several files is logged once. */
  readonly about: string;
  readonly text: string;
}

function warningsOf({ what, path, secret }: Kept, rights: PathRights, ownUid: number): Warning[] {
  const warnings: Warning[] = [];
  if (secret && rights.readableByAll) {
    warnings.push({ about: `reading ${path}`, text: `every user may read ${what} ${path}: chmod o-rwx ${path}` });
  }
  for (const { path: at, uid, isFolderAbove } of rights.foreignOwners) {
    if (secret && !isFolderAbove) continue;
    const could = isFolderAbove ? `and could replace ${what} ${path} in it` : `which is ${what}`;
    warnings.push({ about: at, text: `user ${uid} owns ${at}, ${could}: chown ${ownUid} ${at}` });
  }
  return warnings;
}
