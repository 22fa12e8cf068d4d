// The sets that not every configuration uses, wired together.
import { ChallengeSet, type ChallengesUsage } from '../blocking/challenge-set.ts';
import type { WorkerRegistry } from '../blocking/compare/worker-registry.ts';
import { HttpsSet, type HttpsUsage } from '../blocking/https-set.ts';
import { UpstreamSet, type UpstreamUsage } from '../blocking/upstream-set.ts';
import type { ChangeWindows } from '../blocking/write/change-windows.ts';
import type { RuntimeChanger } from '../blocking/write/runtime-changer.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import type { MasterSocket } from '../haproxy/socket/master-socket.ts';
import type { Settings } from '../settings.ts';
import type { Database } from '../store/open-database.ts';
import { SiteTlsStore } from '../store/site-tls-store.ts';
import { UpstreamsStore } from '../store/upstreams-store.ts';

export interface SmallSetUsages {
  /** Absent: the live configuration uses the maps of upstreams. */
  readonly upstreamUsage?: UpstreamUsage;
  /** Absent: the live configuration uses the map of https settings. */
  readonly httpsUsage?: HttpsUsage;
  /** Absent: the live configuration has the rule for challenges. */
  readonly challengesUsage?: ChallengesUsage;
  /** Key authorizations by token, of all open orders. */
  readonly challenges?: () => Promise<ReadonlyMap<string, string>>;
}

interface SmallSetOptions {
  readonly settings: Pick<Settings, 'upstreamsMap' | 'proxyProtocolMap' | 'httpsSitesMap' | 'acmeChallengesMap'>;
  readonly database: Database;
  readonly socket: MasterSocket;
  readonly registry: WorkerRegistry;
  readonly turns: TurnQueue;
  readonly changer: RuntimeChanger;
  readonly windows: ChangeWindows;
  readonly scheduleReload: (reason: string) => boolean;
  /** Checks the workers soon. */
  readonly recheck: () => void;
  readonly usages: SmallSetUsages;
  readonly now: () => Date;
}

export function wireSmallSets({
  settings,
  database,
  usages,
  scheduleReload,
  recheck,
  now,
  ...common
}: SmallSetOptions) {
  const upstreams = new UpstreamSet({
    ...common,
    store: new UpstreamsStore(database),
    upstreamsPath: settings.upstreamsMap,
    proxyProtocolPath: settings.proxyProtocolMap,
    scheduleReload,
    recheck,
    now,
    usage: usages.upstreamUsage,
  });
  const https = new HttpsSet({
    ...common,
    store: new SiteTlsStore(database),
    path: settings.httpsSitesMap,
    scheduleReload,
    recheck,
    now,
    usage: usages.httpsUsage,
  });
  const challenges = new ChallengeSet({
    ...common,
    wanted: usages.challenges ?? (async () => new Map()),
    path: settings.acmeChallengesMap,
    usage: usages.challengesUsage,
  });
  return { upstreams, https, challenges };
}
