// `GET /metrics`: what the parts counted, and what is read at the scrape. It never takes the writer's turn, and uses
// HAProxy's stats socket, so no block and no reload waits for it.

import type { Registry } from '@prometheus-io/client';
import type { ProxyStat } from '../haproxy/process/proxy-stats.ts';
import type { HealthVerdict } from '../health/health-verdict.ts';
import type { MetricsForm, MetricsService } from '../http/services.ts';
import type { InsightState } from '../insight/insight-observer.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { UnnamedByUpstream } from '../upstreams/unnamed-requests.ts';
import type { WebhookBacklog } from '../webhooks/webhook-observer.ts';
import type { AcmeMetricFacts } from './acme-metrics.ts';
import { CachedProbe, type ProbeTimes } from './cached-probe.ts';
import type { CertificateFacts } from './certificate-metrics.ts';
import { asOpenMetrics, expositionOf } from './exposition.ts';
import { HealthMetrics } from './health-metrics.ts';
import { Instruments } from './instruments.ts';
import type { MetricObservers } from './observers.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { ProxyMetrics } from './proxy-metrics.ts';
import type { ReloadSource } from './reload-metrics.ts';
import { type ClaimsByKind, SetMetrics, type SetSources, type StoredFacts } from './set-metrics.ts';
import { UpstreamMetrics } from './upstream-metrics.ts';

// Which versions run: series whose value is always 1.

class InfoMetrics {
  readonly #proxy;

  constructor(instruments: Instruments, version: string) {
    instruments
      .gauge('build_info', 'The service; always 1.', ['version', 'node_version'])
      .set({ version, node_version: process.versions.node }, 1);
    this.#proxy = instruments.gauge('proxy_info', 'The version of the running HAProxy; always 1.', ['version']);
  }

  /** It may change with a reload. */
  refresh(proxyVersion: string): void {
    this.#proxy.reset();
    this.#proxy.set({ version: proxyVersion }, 1);
  }
}

export interface MetricSources {
  readonly version: string;
  proxyVersion(): string;
  readonly sets: SetSources;
  readonly reloads: ReloadSource;
  /** @throws when the database cannot be read */
  storedFacts(): Promise<StoredFacts>;
  /** Time grows with their number. @throws when the database cannot be read */
  expiringEntries(): Promise<number>;
  claims(): Promise<ClaimsByKind>;
  /** Time grows with the waiting events, 10,000 at most for each of 20. @throws when the database cannot be read */
  webhookBacklogs(): Promise<readonly WebhookBacklog[]>;
  /** Null: HAProxy serves no TLS. @throws when the database cannot be read */
  certificates(): Promise<CertificateFacts | null>;
  /** Null: HAProxy serves no TLS. @throws when the database cannot be read */
  acme(): Promise<AcmeMetricFacts | null>;
  /** Null: unknown. */
  unnamedRequests(): Promise<UnnamedByUpstream | null>;
  /** Null: switched off, or not loaded yet. */
  insight(): Promise<InsightState | null>;
  /** As in `/health`, without delaying a change. */
  health(): Promise<HealthVerdict>;
  /** Ends by itself after a second. @throws when they cannot be read */
  proxyStats(): Promise<{ readonly stats: readonly ProxyStat[]; readonly siteOf: (backend: string) => string }>;
}

/** For all probes of a scrape; Prometheus itself gives up after ten seconds. */
const scrapePatienceMs = 2_000;
/** A probe sends HAProxy a few commands; once per scrape is enough. */
const healthTimes: ProbeTimes = { fresh: 5_000, stale: 60_000 };
/** Counting the expiring entries takes 0.2 s at a million, in slices. */
const countTimes: ProbeTimes = { fresh: 0, stale: 120_000, share: 0.01 };
/** Nothing while all is received; counting 10,000 waiting events takes some milliseconds per webhook. */
const backlogTimes: ProbeTimes = { fresh: 0, stale: 120_000, share: 0.01 };
/** Current or absent. */
const nowTimes: ProbeTimes = { fresh: 0, stale: scrapePatienceMs };

interface MetricsDeps {
  readonly registry: Registry;
  readonly observers: MetricObservers;
  readonly sources: MetricSources;
  readonly log: Log;
  readonly patienceMs?: number | undefined;
}

export class Metrics implements MetricsService {
  readonly #deps: MetricsDeps;
  readonly #sets: SetMetrics;
  readonly #healthMetrics: HealthMetrics;
  readonly #proxy: ProxyMetrics;
  readonly #upstreams: UpstreamMetrics;
  readonly #process: ProcessMetrics;
  readonly #info: InfoMetrics;
  readonly #health: CachedProbe<HealthVerdict>;
  readonly #stored: CachedProbe<StoredFacts>;
  readonly #expiring: CachedProbe<number>;
  readonly #claims: CachedProbe<ClaimsByKind>;
  readonly #backlogs: CachedProbe<readonly WebhookBacklog[]>;
  readonly #certificates: CachedProbe<CertificateFacts | null>;
  readonly #acme: CachedProbe<AcmeMetricFacts | null>;
  readonly #unnamed: CachedProbe<UnnamedByUpstream | null>;
  readonly #insight: CachedProbe<InsightState | null>;
  readonly #proxyStats: CachedProbe<Awaited<ReturnType<MetricSources['proxyStats']>>>;
  readonly #patienceMs: number;
  #scrape: Promise<string> | null = null;

  constructor(deps: MetricsDeps) {
    this.#deps = deps;
    this.#patienceMs = deps.patienceMs ?? scrapePatienceMs;
    const { registry, sources } = deps;
    const instruments = new Instruments(registry);
    this.#info = new InfoMetrics(instruments, sources.version);
    this.#healthMetrics = new HealthMetrics(instruments);
    this.#sets = new SetMetrics(instruments);
    this.#proxy = new ProxyMetrics(instruments);
    this.#upstreams = new UpstreamMetrics(instruments);
    this.#process = new ProcessMetrics(new Instruments(registry, ''));
    const logged = new Map<string, string>();
    const probe = <T>(what: string, ask: () => Promise<T>, times: ProbeTimes) =>
      new CachedProbe({
        ask: async () => {
          const answer = await ask();
          logged.delete(what);
          return answer;
        },
        times,
        onFailure: (error) => {
          // A failure that repeats with each scrape is logged once.
          const cause = causeText(error);
          if (logged.get(what) !== cause) deps.log.warn(`Metrics lack ${what}`, { cause });
          logged.set(what, cause);
        },
      });
    this.#health = probe('the health', () => sources.health(), healthTimes);
    this.#stored = probe('the numbers of the database', () => sources.storedFacts(), nowTimes);
    this.#expiring = probe('the number of temporary blocks', () => sources.expiringEntries(), countTimes);
    this.#claims = probe('the number of claims', () => sources.claims(), nowTimes);
    this.#backlogs = probe('the webhook backlogs', () => sources.webhookBacklogs(), backlogTimes);
    this.#certificates = probe('the certificates', () => sources.certificates(), nowTimes);
    this.#acme = probe('the orders of certificates', () => sources.acme(), nowTimes);
    this.#insight = probe('the figures of denied requests', () => sources.insight(), nowTimes);
    this.#unnamed = probe('the requests of upstreams', () => sources.unnamedRequests(), nowTimes);
    this.#proxyStats = probe('the statistics of HAProxy', () => sources.proxyStats(), nowTimes);
  }

  /** Concurrent requests share one scrape. */
  async scrape(form: MetricsForm): Promise<string> {
    this.#scrape ??= this.#make().finally(() => {
      this.#scrape = null;
    });
    const text = await this.#scrape;
    return form === 'openmetrics' ? asOpenMetrics(text) : text;
  }

  answered(...request: Parameters<MetricsService['answered']>): void {
    this.#deps.observers.requests.answered(...request);
  }

  async #make(): Promise<string> {
    const [health, stored, expiring, claims, backlogs, certificates, acme, unnamed, insight, proxy] = await Promise.all(
      [
        this.#health.read(this.#patienceMs),
        this.#stored.read(this.#patienceMs),
        this.#expiring.read(this.#patienceMs),
        this.#claims.read(this.#patienceMs),
        this.#backlogs.read(this.#patienceMs),
        this.#certificates.read(this.#patienceMs),
        this.#acme.read(this.#patienceMs),
        this.#unnamed.read(this.#patienceMs),
        this.#insight.read(this.#patienceMs),
        this.#proxyStats.read(this.#patienceMs),
      ],
    );
    this.#healthMetrics.refresh(health);
    this.#sets.refresh(this.#deps.sources.sets, stored, { expiring, claims });
    this.#deps.observers.reloads.refresh(this.#deps.sources.reloads);
    this.#deps.observers.webhooks.refresh(backlogs);
    this.#deps.observers.certificates.refresh(certificates);
    this.#deps.observers.acme.refresh(acme);
    this.#proxy.refresh(proxy?.stats ?? null, proxy?.siteOf ?? (() => ''));
    this.#upstreams.refresh(unnamed);
    this.#deps.observers.insight.refresh(insight);
    this.#process.refresh();
    this.#info.refresh(this.#deps.sources.proxyVersion());
    return await expositionOf(this.#deps.registry);
  }
}
