// Everything that maintains the blocked set, wired as in the service, with a real database, real files and the test's
// master.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../src/api/caller.ts';
import type { RequestedBlock } from '../src/blocking/blocked-set-service.ts';
import type { ChallengesUsage } from '../src/blocking/challenge-set.ts';
import type { HttpsUsage } from '../src/blocking/https-set.ts';
import type { TrustUsage } from '../src/blocking/trusted-set.ts';
import type { UpstreamUsage } from '../src/blocking/upstream-set.ts';
import { parseIp } from '../src/domain/ip.ts';
import { FactBus } from '../src/events/facts.ts';
import { eventsOf } from '../src/events/operation-events.ts';
import { operationLog } from '../src/events/operation-log.ts';
import { MasterSocket } from '../src/haproxy/socket/master-socket.ts';
import { type BlockingObservers, type BlockingParts, wireBlocking } from '../src/service/blocking-parts.ts';
import type { Settings } from '../src/settings.ts';
import { InstanceStore } from '../src/store/instance-store.ts';
import type { Database } from '../src/store/open-database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { openTestDatabase } from './store/new-database.ts';

interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

export interface BlockingKit extends BlockingParts {
  readonly database: Database;
  readonly socket: MasterSocket;
  readonly lines: LogLine[];
  readonly reloads: string[];
  readonly events: { readonly type: string; readonly data: unknown }[];
  readonly mapPath: string;
  readonly databaseFile: string;
  fileEntries(): Promise<string[]>;
  close(): Promise<void>;
}

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'pmb-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** @param folder holds the database, and the map files by default */
export async function openBlocking(options: {
  readonly folder: string;
  readonly masterSocket: string;
  readonly blockedMap?: string;
  readonly fastDeletes?: boolean;
  readonly deletesInEveryVersion?: boolean;
  readonly now?: () => Date;
  /** 0: no limit. */
  readonly maxEntries?: number;
  readonly observers?: BlockingObservers;
  /** Absent: the live configuration uses the trusted map fully. */
  readonly trustUsage?: TrustUsage;
  readonly upstreamUsage?: UpstreamUsage;
  readonly httpsUsage?: HttpsUsage;
  readonly challengesUsage?: ChallengesUsage;
  /** What the database has. */
  readonly challenges?: () => Promise<ReadonlyMap<string, string>>;
}): Promise<BlockingKit> {
  const { folder, now = () => new Date(), fastDeletes = true, deletesInEveryVersion = true, maxEntries = 0 } = options;
  const databaseFile = join(folder, 'test.sqlite');
  const database = await openTestDatabase(`sqlite:${databaseFile}`);
  const instance = await InstanceStore.open(database);
  const mapPath = options.blockedMap ?? join(folder, 'blocked.map');
  const lines: LogLine[] = [];
  const reloads: string[] = [];
  const events: { type: string; data: unknown }[] = [];
  const note =
    (level: LogLine['level']) =>
    (message: string, fields: object = {}) => {
      lines.push({ level, message, fields: { ...fields } });
    };
  const log: Log = { info: note('info'), warn: note('warn'), error: note('error') };
  const facts = new FactBus(log);
  facts.listen(operationLog(log));
  facts.listen(({ type, data }) => {
    events.push(...(type === 'operation.done' ? eventsOf(data) : [{ type, data }]));
  });
  const socket = new MasterSocket(options.masterSocket);
  const parts = wireBlocking({
    // Only these settings are read.
    settings: {
      blockedMap: mapPath,
      trustedMap: `${mapPath}.trusted`,
      upstreamsMap: `${mapPath}.upstreams`,
      proxyProtocolMap: `${mapPath}.proxy_protocol`,
      httpsSitesMap: `${mapPath}.https_sites`,
      acmeChallengesMap: `${mapPath}.acme_challenges`,
      maxEntries,
    } as Settings,
    database,
    instance,
    socket,
    log,
    emit: facts.emit,
    now,
    capabilities: () => ({ versionedMaps: true, fastDeletes, deletesInEveryVersion }),
    scheduleReload: (reason) => reloads.push(reason) > 0,
    reconsiderReload: () => undefined,
    ...(options.observers === undefined ? {} : { observers: options.observers }),
    ...(options.trustUsage === undefined ? {} : { trustUsage: options.trustUsage }),
    ...(options.upstreamUsage === undefined ? {} : { upstreamUsage: options.upstreamUsage }),
    ...(options.httpsUsage === undefined ? {} : { httpsUsage: options.httpsUsage }),
    ...(options.challengesUsage === undefined ? {} : { challengesUsage: options.challengesUsage }),
    ...(options.challenges === undefined ? {} : { challenges: options.challenges }),
  });
  return {
    ...parts,
    database,
    socket,
    lines,
    reloads,
    events,
    mapPath,
    databaseFile,
    fileEntries: async () =>
      (await readFile(mapPath, 'utf8'))
        .split('\n')
        .filter((line) => !line.startsWith('#') && line.trim() !== '')
        .map((line) => line.trim()),
    close: async () => {
      await parts.expiry.stop();
      parts.bulk.stop();
      await parts.reconciler.stop();
      await parts.link.close();
      await parts.turns.drained();
      socket.close();
      await parts.keeper.file.close();
      await database.close();
    },
  };
}

export function caller(): Caller {
  return { keyName: 'test', requestId: 'r', source: '127.0.0.1', receivedAt: performance.now() };
}

export function toBlock(text: string, more: Partial<RequestedBlock> = {}): RequestedBlock {
  return { entry: entryOf(text), expiry: { kind: 'permanent' }, force: false, ...more };
}

export function entryOf(text: string) {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.entry;
}
