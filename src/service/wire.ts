// The composition root: creates all parts in order and passes them on; no part looks up another.

import { Registry } from '@prometheus-io/client';
import { AuditRecorder } from '../audit/audit-recorder.ts';
import { EntryMap } from '../blocking/entry-map.ts';
import { refuseAttached } from '../configuration/attached/attached-operations.ts';
import { unnamedTable } from '../configuration/template/client-address-rules.ts';
import { EventFeed } from '../events/event-feed.ts';
import { EventRing } from '../events/event-ring.ts';
import { FactBus, type FactType } from '../events/facts.ts';
import { operationLog } from '../events/operation-log.ts';
import { findMaster } from '../haproxy/process/master-process.ts';
import { readRequestTable } from '../haproxy/process/request-table.ts';
import { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { Health } from '../health/health.ts';
import { HealthWatch } from '../health/health-watch.ts';
import { builtPanel, readPanel } from '../http/panel-files.ts';
import type { Services } from '../http/services.ts';
import { AcmeOperations } from '../issuance/acme-operations.ts';
import { Issuance } from '../issuance/issuance.ts';
import { KeyExpiryWatch } from '../keys/key-expiry-watch.ts';
import { ApiKeys } from '../keys/keys.ts';
import { Sessions } from '../keys/sessions.ts';
import { Metrics } from '../metrics/metrics.ts';
import { MetricObservers } from '../metrics/observers.ts';
import { Notices } from '../notices/notices.ts';
import { listenCertificateId } from '../setting-values.ts';
import type { Settings } from '../settings.ts';
import { SitesTls } from '../sites/site-tls.ts';
import { SiteWatch } from '../sites/site-watch.ts';
import type { OpenState } from '../start/open-state.ts';
import { AcmeOrdersStore } from '../store/acme-orders-store.ts';
import { ApiKeysStore } from '../store/api-keys-store.ts';
import { AuditStore } from '../store/audit-store.ts';
import { EntryMapStore } from '../store/entry-map-store.ts';
import { NoticesStore } from '../store/notices-store.ts';
import { ReloadsStore } from '../store/reloads-store.ts';
import { SessionsStore } from '../store/sessions-store.ts';
import { SiteTlsStore } from '../store/site-tls-store.ts';
import { SitesStore } from '../store/sites-store.ts';
import { ViewsStore } from '../store/views-store.ts';
import { WebhooksStore } from '../store/webhooks-store.ts';
import type { ProxyVersions } from '../supervision/proxy-versions.ts';
import type { Log } from '../telemetry/log.ts';
import { expiredProblems } from '../tls/certificate-health.ts';
import { CertificateOperations } from '../tls/certificate-operations.ts';
import { ExpiryWatch } from '../tls/expiry-watch.ts';
import { ClientAddresses } from '../upstreams/client-addresses.ts';
import { UnnamedRequestCounts, unnamedNotices } from '../upstreams/unnamed-requests.ts';
import { Upstreams } from '../upstreams/upstreams.ts';
import { SavedViews } from '../views/saved-views.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import { wireAttachedProxy } from './attached-proxy.ts';
import { wireBlocking } from './blocking-parts.ts';
import { wireInsight } from './insight-parts.ts';
import { wireIssuance } from './issuance-parts.ts';
import { wireManagedProxy } from './managed-proxy.ts';
import {
  certificateFacts,
  currentHealth,
  fromWorker,
  proxyStats,
  setSources,
  sitesWithCertificates,
  storedFacts,
} from './metric-sources.ts';
import { ProxyLink, type ProxySide, type ProxySideOptions } from './proxy-side.ts';
import { wireTls } from './tls-parts.ts';

/** Health is checked soon after these facts. */
const mayChangeHealth: ReadonlySet<FactType> = new Set([
  'drift.seen',
  'drift.repaired',
  'reload.completed',
  'reload.failed',
  'worker.appeared',
  'worker.gone',
  'certificate.expired',
  'certificate.repaired',
  'certificate.issued',
  'certificate.failing',
]);

const changesSites: ReadonlySet<string> = new Set(['set_site', 'remove_site']);

async function wireProxy(options: ProxySideOptions): Promise<ProxySide> {
  return options.settings.attached ? wireAttachedProxy(options) : await wireManagedProxy(options);
}

export async function wireService(options: {
  readonly settings: Settings;
  readonly state: OpenState;
  readonly versions: ProxyVersions;
  readonly version: string;
  readonly started: () => boolean;
  readonly listenNotices: () => readonly string[];
  readonly log: Log;
}) {
  const { settings, state, versions, version, started, listenNotices, log } = options;
  const { database, instance } = state;
  const now = (): Date => new Date();
  const ring = new EventRing({ log, now });
  const audit = new AuditRecorder({ store: new AuditStore(database), log, now });
  const metricRegistry = new Registry();
  const observers = new MetricObservers(metricRegistry);
  const facts = new FactBus(log);
  const { emit } = facts;
  const notices = new Notices({ store: new NoticesStore(database), log, now });
  for (const { listener } of [{ listener: operationLog(log) }, ring, audit, observers, notices]) facts.listen(listener);
  const webhooks = new Webhooks({
    store: new WebhooksStore(database),
    ring,
    emit,
    log,
    now,
    observer: observers.webhooks,
  });
  const socket = new MasterSocket(settings.masterSocket, { observer: observers.commands });
  const statsSocket = new MasterSocket(settings.statsSocket, { observer: observers.commands, maxConnections: 2 });
  const sitesStore = new SitesStore(database);
  // The proxy side needs the blocked set, which requests reloads from it: connected below.
  const proxyLink = new ProxyLink();
  const blocking = wireBlocking({
    settings,
    database,
    instance,
    socket,
    log,
    emit,
    now,
    capabilities: (running) => versions.capabilitiesOf(running),
    ...proxyLink.forBlocking,
    challenges: () => new AcmeOrdersStore(database).challenges(),
    observers: {
      drift: observers.drift,
      groupEnded: (changes, milliseconds) => observers.groups.ended(changes, milliseconds),
    },
  });
  const { registry } = blocking;
  const tls = await wireTls({
    settings,
    database,
    socket,
    upstreams: blocking.upstreams,
    scheduleReload: proxyLink.forBlocking.scheduleReload,
    around: (certificate, names, work) => sitesTls.around(certificate, names, work),
    facts,
    onInstalled: (milliseconds) => observers.certificates.installed(milliseconds),
    log,
    now,
  });
  const sitesTls: SitesTls = new SitesTls({
    set: blocking.https,
    certificates: {
      certificatesFor: async (names) => (await tls?.certificatesFor(names)) ?? new Map(),
      whyNotServed: (id) => (tls === null ? 'TLS is off' : tls.whyNotServed(id)),
      whyLost: (id) => tls?.whyLost(id) ?? null,
    },
    enabled: settings.httpsBind.length > 0,
    emit,
    log,
  });

  const sockets = { stats: statsSocket, master: socket };
  const insightParts = wireInsight({
    ...{ mode: settings.insight, sockets, database, blocking, sites: sitesStore, emit, log, now },
    observer: observers.insight,
  });
  const { insight, figures } = insightParts;
  const proxy = await wireProxy({
    beforeReload: async () => await insight?.readNow(),
    settings,
    sites: sitesStore,
    history: new ReloadsStore(database),
    parts: blocking,
    socket,
    certificates: tls?.files ?? null,
    versions,
    log,
    emit,
    now,
  });
  proxyLink.connect(proxy);
  const { reloads } = proxy;

  const certificates = new CertificateOperations({
    certificates: tls?.certificates ?? null,
    usedByApi: listenCertificateId(settings),
    enabledSites: () => sitesWithCertificates(new SiteTlsStore(database)),
    emit,
    now,
  });
  const issuing = await wireIssuance({
    ...{ settings, database, tls, version, emit, log, now, observer: observers.acme },
    challenges: blocking.challenges,
  });
  const { issuance } = issuing;
  const acme = new AcmeOperations({
    issuance,
    owners: async (names) => (await tls?.certificates.owners(names)) ?? new Map(),
    namesOf: async (id) => (await tls?.certificates.get(id))?.names ?? null,
    hasDnsHook: settings.acme.dnsHook !== null,
    whyNotServed: async () => (await tls?.whyListUnused()) ?? null,
    emit,
  });

  const keys = new ApiKeys({
    store: new ApiKeysStore(database),
    given: settings.apiKey,
    moveClaims: (name, source) => blocking.claimMover.move(name, source),
    log,
    emit,
    now,
  });
  const watches: readonly { start(): void; stop(): Promise<void> }[] = [
    new KeyExpiryWatch({ keys, reported: (type) => notices.openOf(type), emit, log, now }),
    ...(tls === null ? [] : [new ExpiryWatch({ certificates, reported: tls.expiryReports, emit, log, now })]),
    // An attached service has no sites.
    ...(settings.attached
      ? []
      : [
          new SiteWatch({
            anySite: async () => (await sitesStore.count()) > 0,
            read: () => proxyStats(sockets, sitesStore, 'backends'),
            downBefore: () => notices.openOf('site.down'),
            emit,
            log,
          }),
        ]),
  ];
  const sessions = new Sessions({ store: new SessionsStore(database), keys, log, emit, now });
  const panel = readPanel(builtPanel, log);
  const unnamed = new UnnamedRequestCounts({
    read: async () => {
      await proxy.check();
      if (proxy.upstreams.uncounted.length > 0) return null;
      return await fromWorker(sockets, (from, prefix, deadline) =>
        readRequestTable(from, prefix, unnamedTable, deadline),
      );
    },
    upstreams: blocking.upstreams,
    log,
    now,
  });
  const health = new Health({
    database,
    socket,
    link: blocking.link,
    registry,
    keeper: blocking.keeper,
    trusted: blocking.trusted,
    upstreams: blocking.upstreams,
    blocked: blocking.blocked,
    turns: blocking.turns,
    bulk: blocking.bulk,
    reconciler: blocking.reconciler,
    reloads,
    drift: proxy.drift,
    attached: () => proxy.attached(),
    trustHasEffect: () => proxy.trust.hasEffect,
    findMaster: () => findMaster(settings.pidFile, settings.configFile),
    versions: () => ({
      service: version,
      proxy: versions.versionOf(registry.runningVersion),
      unsupported: versions.unsupportedBy(registry.runningVersion),
      untested: versions.untested(registry.runningVersion),
    }),
    unboundKeys: () => keys.unbound(),
    proxyProblems: () => proxy.problems(),
    certificateProblems: async () =>
      tls === null
        ? []
        : [...tls.problems(), ...(await expiredProblems(certificates)), ...(await issuing.findings()).problems],
    notices: async () => [
      ...listenNotices(),
      ...unnamedNotices(await unnamed.byUpstream(), await blocking.upstreams.list()),
      ...(await proxy.notices()),
      ...(insight?.notices() ?? []),
      ...(await issuing.findings()).notices,
    ],
    started,
  });
  const healthWatch = new HealthWatch({ probe: (how) => health.report(how), emit, log });
  facts.listen(({ type }) => {
    if (mayChangeHealth.has(type)) healthWatch.kick();
  });

  if (insight !== null) facts.listen(insight.marks.listener);
  facts.listen(({ type, data }) => {
    if (type === 'operation.done' && changesSites.has(data.operation)) sitesTls.kick();
  });
  const refuseTls = async () => refuseAttached(settings.configFile, 'sites');
  const refusedTls = { get: refuseTls, put: refuseTls, change: refuseTls };

  const metrics = new Metrics({
    registry: metricRegistry,
    observers,
    log,
    sources: {
      version,
      proxyVersion: () => versions.versionOf(registry.runningVersion),
      sets: setSources(blocking),
      reloads,
      storedFacts: () => storedFacts(blocking.store, sitesStore),
      expiringEntries: () => blocking.store.countEnding(),
      claims: () => blocking.sources.claimsByKind(),
      certificates: () => certificateFacts(tls),
      acme: () => issuing.metricFacts(),
      webhookBacklogs: () => webhooks.backlogs(),
      health: currentHealth(health),
      proxyStats: () => proxyStats(sockets, sitesStore),
      unnamedRequests: () => unnamed.byUpstream(),
      insight: () => figures.metrics(),
    },
  });
  const services: Services = {
    blockedSet: blocking.blockedSet,
    bulkUnblock: blocking.bulkUnblock,
    undo: blocking.undo,
    sources: blocking.sources,
    releases: blocking.releases,
    trustedIps: blocking.trusted,
    upstreams: new Upstreams({
      set: blocking.upstreams,
      blocked: blocking.store,
      reloads: proxy.upstreamReloads,
      unnamed: () => unnamed.byUpstream(),
      emit,
    }),
    clientAddresses: new ClientAddresses({
      upstreams: blocking.upstreams,
      checker: blocking.checker,
      largeHeadersStatus: () => versions.capabilitiesOf(registry.runningVersion).largeHeadersStatus,
    }),
    sites: proxy.sites,
    certificates,
    acme,
    sitesTls: settings.attached ? refusedTls : sitesTls,
    configuration: proxy.configuration,
    keys,
    sessions,
    audit,
    events: new EventFeed(ring),
    webhooks,
    entryMap: new EntryMap({ store: new EntryMapStore(database), denied: figures, now }),
    insight: figures,
    notices,
    views: new SavedViews({ store: new ViewsStore(database), emit, now }),
    health,
    panel,
    metrics,
    operations: { ended: (operation) => emit('operation.answered', operation) },
    log,
  };
  return {
    services,
    blocking,
    tls,
    sitesTls,
    watches,
    issuance: issuance instanceof Issuance ? issuance : null,
    proxy,
    facts,
    audit,
    webhooks,
    notices,
    keys,
    socket,
    statsSocket,
    healthWatch,
    insight,
    beginInsight: insightParts.begin,
    now,
  };
}
