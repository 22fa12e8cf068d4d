// The blocked set and everything that keeps it in sync, wired together.

import { AddressChecker } from '../blocking/address-checker.ts';
import { BlockedSet, runtimeBudgetMs } from '../blocking/blocked-set.ts';
import { BulkRunner } from '../blocking/bulk/bulk-runner.ts';
import { BulkUnblock } from '../blocking/bulk-unblock.ts';
import { ClaimMover } from '../blocking/claim-mover.ts';
import { type DriftObserver, unobservedDrift } from '../blocking/compare/drift-observer.ts';
import { PendingVersions } from '../blocking/compare/map-replacement.ts';
import { Reconciler } from '../blocking/compare/reconciler.ts';
import { Synchroniser } from '../blocking/compare/sync.ts';
import { WorkerReconciler } from '../blocking/compare/worker-reconciler.ts';
import { WorkerRegistry } from '../blocking/compare/worker-registry.ts';
import { Exceptions } from '../blocking/exceptions.ts';
import { Expiry } from '../blocking/expiry.ts';
import { ExpiryLoop } from '../blocking/expiry-loop.ts';
import type { MirroredMap } from '../blocking/mirrored-map.ts';
import { textPages } from '../blocking/mirrored-map.ts';
import { Releases } from '../blocking/releases.ts';
import { Sources } from '../blocking/sources.ts';
import { TrustedSet, type TrustUsage } from '../blocking/trusted-set.ts';
import { Undo } from '../blocking/undo.ts';
import { Admission } from '../blocking/write/admission.ts';
import { ChangeWindows } from '../blocking/write/change-windows.ts';
import { DeleteStrategy } from '../blocking/write/delete-strategy.ts';
import { DurableCommit } from '../blocking/write/durable-commit.ts';
import { EntryLimit } from '../blocking/write/entry-limit.ts';
import { GroupWriter } from '../blocking/write/group-writer.ts';
import { MapFileKeeper } from '../blocking/write/map-file-keeper.ts';
import { Outcomes } from '../blocking/write/outcomes.ts';
import { RuntimeChanger } from '../blocking/write/runtime-changer.ts';
import { RuntimeLink } from '../blocking/write/runtime-link.ts';
import { KickablePause } from '../concurrency/pause.ts';
import { TurnQueue } from '../concurrency/turn-queue.ts';
import type { Emit } from '../events/facts.ts';
import { MapFile } from '../haproxy/map-file/map-file.ts';
import { RuntimeMap } from '../haproxy/maps/runtime-map.ts';
import { findMaster } from '../haproxy/process/master-process.ts';
import type { ProxyCapabilities } from '../haproxy/process/proxy-version.ts';
import type { MasterSocket } from '../haproxy/socket/master-socket.ts';
import type { Settings } from '../settings.ts';
import { AuditStore } from '../store/audit-store.ts';
import { rowInForce } from '../store/blocked-changes.ts';
import { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import { BulkStore } from '../store/bulk-store.ts';
import { ClaimSearch } from '../store/claim-search.ts';
import { ClaimsStore } from '../store/claims-store.ts';
import type { InstanceStore } from '../store/instance-store.ts';
import type { Database } from '../store/open-database.ts';
import { ReleasesStore } from '../store/releases-store.ts';
import { SourcesStore } from '../store/sources-store.ts';
import { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import { UndoRecords } from '../store/undo-records.ts';
import type { Log } from '../telemetry/log.ts';
import { type SmallSetUsages, wireSmallSets } from './small-sets.ts';

const textsInPage = 2_000;

export interface BlockingObservers {
  readonly drift: DriftObserver;
  readonly groupEnded: (changes: number, milliseconds: number) => void;
}

const unobserved: BlockingObservers = {
  drift: unobservedDrift,
  groupEnded: () => undefined,
};

export type BlockingParts = ReturnType<typeof wireBlocking>;

export function wireBlocking(
  options: SmallSetUsages & {
    readonly settings: Settings;
    readonly database: Database;
    readonly instance: InstanceStore;
    readonly socket: MasterSocket;
    readonly log: Log;
    readonly emit: Emit;
    readonly now: () => Date;
    /** Of the running version, which may change with a reload. */
    readonly capabilities: (
      runningVersion: string | null,
    ) => Pick<ProxyCapabilities, 'versionedMaps' | 'fastDeletes' | 'deletesInEveryVersion'>;
    readonly scheduleReload: (reason: string) => boolean;
    /** Absent: the live configuration uses the trusted map correctly. */
    readonly trustUsage?: TrustUsage;
    /** The socket answers again, or the workers are in sync again. */
    readonly reconsiderReload: () => void;
    readonly observers?: BlockingObservers;
  },
) {
  const {
    settings,
    database,
    instance,
    socket,
    log,
    emit,
    now,
    capabilities,
    scheduleReload,
    observers = unobserved,
  } = options;
  const store = new BlockedIpsStore(database);
  const turns = new TurnQueue();
  const windows = new ChangeWindows();
  const pending = new PendingVersions();
  const registry = new WorkerRegistry({ now, emit });
  const running = () => capabilities(registry.runningVersion);
  const strategy = new DeleteStrategy({
    // An entry removed while a version is filled would stay in it, and the version would not be committed.
    mayReplace: () => running().versionedMaps && running().deletesInEveryVersion,
    scans: () => !running().fastDeletes,
  });
  registry.onForgotten((pid) => strategy.forget(pid));
  const checks = new KickablePause();
  const blockedMap = new RuntimeMap({ socket, path: settings.blockedMap });
  const trustedMap = new RuntimeMap({ socket, path: settings.trustedMap });
  const keeper = new MapFileKeeper({
    file: new MapFile({ path: settings.blockedMap }),
    path: settings.blockedMap,
    store,
    instance,
    turns,
    log,
    onUnexpectedDatabase: () => {
      registry.markAllSuspect('blocked', 'another process changed the database');
      checks.kick();
    },
    now,
  });
  const link = new RuntimeLink({
    socket,
    log,
    now,
    onRecovered: () => {
      checks.kick();
      options.reconsiderReload();
    },
  });
  const changer = new RuntimeChanger({ link, registry, pending, onNewWorkers: () => checks.kick() });
  const trustedStore = new TrustedIpsStore(database);
  const trusted = new TrustedSet({
    store: trustedStore,
    path: settings.trustedMap,
    map: trustedMap,
    turns,
    changer,
    windows,
    emit,
    scheduleReload,
    now,
    ...(options.trustUsage === undefined ? {} : { usage: options.trustUsage }),
  });
  const { upstreams, https, challenges } = wireSmallSets({
    ...{ settings, database, socket, registry, turns, changer, windows, scheduleReload, now },
    recheck: () => checks.kick(),
    usages: options,
  });
  const smallMaps = [trusted.map, ...upstreams.maps, https.map, challenges.map];
  const trustExpiry = new ExpiryLoop({
    what: 'Expired trusted addresses',
    log,
    expireOnce: () => trusted.expireOnce(),
  });
  const blocked: MirroredMap = {
    name: 'blocked',
    runtime: blockedMap,
    get expected() {
      return keeper.expected;
    },
    scan: () => textPages(store, textsInPage),
    reread: async () => {
      await keeper.updateBlockedIpsMap();
    },
    members: (texts) => store.presentOf(texts),
  };
  const workers = new WorkerReconciler({
    registry,
    turns,
    windows,
    pending,
    log,
    emit,
    strategy,
    drift: observers.drift,
  });
  const reconciler = new Reconciler({
    timer: checks,
    socket,
    link,
    registry,
    workers,
    keeper,
    smallSets: [
      {
        map: 'trusted',
        what: 'trusted addresses',
        unchanged: () => trusted.fileUnchanged(),
        rewrite: () => trusted.updateTrustedIpsMap(),
      },
      {
        map: 'upstreams',
        what: 'upstreams',
        unchanged: () => upstreams.filesUnchanged(),
        rewrite: () => upstreams.updateUpstreamMaps(),
      },
      ...(settings.attached
        ? []
        : [
            {
              map: 'https_sites' as const,
              what: 'https settings',
              unchanged: () => https.fileUnchanged(),
              rewrite: () => https.updateHttpsMap(),
            },
          ]),
      {
        map: 'acme_challenges',
        what: 'answers to ACME challenges',
        unchanged: () => challenges.fileUnchanged(),
        rewrite: () => challenges.updateChallengeMap(),
      },
    ],
    maps: [blocked, ...smallMaps],
    log,
    onCurrentOutOfSync: scheduleReload,
    drift: observers.drift,
    proxyRuns: async () => (await findMaster(settings.pidFile, settings.configFile)) !== null,
  });
  const removalsAtMost = (): number =>
    strategy.perGroup(
      registry.all().map(({ pid }) => pid),
      keeper.expected.total,
    );
  const limit = new EntryLimit(settings.maxEntries);
  const durable = new DurableCommit({ store, keeper, log, now });
  const writer = new GroupWriter({
    turns,
    store,
    durable,
    keeper,
    changer,
    map: blockedMap,
    windows,
    removalsAtMost,
    limit,
    onGroup: observers.groupEnded,
  });
  const bulkStore = new BulkStore(database);
  const bulk = new BulkRunner({
    bulk: bulkStore,
    turns,
    keeper,
    workers,
    registry,
    link,
    map: blocked,
    windows,
    reconciler,
    pending,
    strategy,
    now,
    log,
    limit,
  });
  const synchroniser = new Synchroniser({
    link,
    registry,
    workers,
    keeper,
    store,
    blocked,
    others: smallMaps,
    scheduleReload,
    onWorkerStarting: () => checks.kick(),
    betweenBulkChanges: (work) => bulk.between(work),
  });
  // If unknown, trusted addresses are assumed to be admitted.
  const trustHasEffect = async (): Promise<boolean> => (await options.trustUsage?.check())?.hasEffect !== false;
  const claims = new ClaimsStore(database);
  const sources = new Sources({ store: new SourcesStore(database), claims, now, log });
  const checker = new AddressChecker({
    store,
    sources,
    trusted: trusted.entries,
    upstreams: upstreams.entries,
    trustOf: (text) => trustedStore.get(text),
    socket,
    registry,
    blockedMap,
    trustedMap,
    trustHasEffect,
  });
  const outcomes = new Outcomes({ scheduleReload, emit });
  const admission = new Admission({
    trusted: trusted.entries,
    upstreams: upstreams.entries,
    trustHasEffect,
    isBlocked: async (ip) => rowInForce(await store.get(ip), now().toISOString()) !== null,
    now,
  });
  const blockedSet = new BlockedSet({
    store,
    writer,
    bulk,
    synchroniser,
    checker,
    admission,
    sources,
    exceptions: new Exceptions({ trusted, claims, now }),
    outcomes,
    limit,
    notVerified: () => {
      if (!link.state.up) return `master socket is down (${link.state.reason})`;
      return registry.allInSync() ? null : 'not every live worker is known to be in sync';
    },
    now,
  });
  const bulkUnblock = new BulkUnblock({
    search: new ClaimSearch(database.read),
    bulk,
    sources,
    outcomes,
    total: () => store.total,
    now,
  });
  const undo = new Undo({
    audit: new AuditStore(database),
    records: new UndoRecords(database.read),
    claims,
    sources,
    admission,
    bulk,
    total: bulkStore,
    limit,
    outcomes,
    now,
  });
  // Groups of expired entries run one after the other.
  let expiredRow: number | null = null;
  const expiry = new Expiry({
    store,
    claims,
    log,
    now,
    change: (changes) =>
      writer.change(changes, 'urgent', performance.now() + runtimeBudgetMs, {
        operation: 'expire',
        caller: null,
        written: (row) => {
          expiredRow = row;
        },
      }),
    removalsAtMost,
    onExpired: (ips, result) => {
      outcomes.reportExpiry(ips, result, expiredRow);
      expiredRow = null;
    },
  });
  return {
    store,
    turns,
    windows,
    registry,
    strategy,
    keeper,
    link,
    trusted,
    upstreams,
    https,
    challenges,
    blocked,
    workers,
    reconciler,
    writer,
    bulk,
    blockedSet,
    checker,
    bulkUnblock,
    undo,
    claims,
    sources,
    releases: new Releases({ store: new ReleasesStore(database), sources, bulk, outcomes, log, now }),
    claimMover: new ClaimMover({ claims, sources, turns, bulk }),
    expiry,
    trustExpiry,
  };
}
