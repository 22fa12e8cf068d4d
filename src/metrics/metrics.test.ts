import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settled } from '../../testkit/conditions.ts';
import { endedOperation } from '../../testkit/ended-operation.ts';
import { emitAll, metricsKit, samplesOf, someSets } from '../../testkit/metrics/metrics-kit.ts';
import { describeWithPromtool, promtool } from '../../testkit/promtool.ts';
import { stopTime } from '../../testkit/stop-time.ts';
import { report } from '../api/changes.ts';
import type { HealthVerdict } from '../health/health-verdict.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

async function everything(): Promise<string> {
  const kit = metricsKit();
  emitAll(kit);
  return await kit.metrics.scrape('prometheus');
}

describe('a scrape', () => {
  it('reads the values of its own moment', async () => {
    let blocked = 12;
    const { metrics } = metricsKit({ sets: { ...someSets, blockedEntries: () => blocked } });
    expect(samplesOf(await metrics.scrape('prometheus'))).toMatchObject({
      'entries{set="blocked"}': 12,
      'entries{set="trusted"}': 2,
      expiring_entries: 5,
      'webhook_pending_events{webhook="chat"}': 3,
      'webhook_missed_events{webhook="chat"}': 1,
      'webhook_oldest_pending_timestamp_seconds{webhook="chat"}': Date.parse('2026-11-21T12:30:00Z') / 1_000,
      next_expiry_timestamp_seconds: Date.parse('2026-11-21T13:00:00Z') / 1_000,
      sites: 1,
      queued_changes: 3,
      queued_turns: 1,
      master_socket_up: 1,
      'workers{role="current"}': 1,
      'workers{role="draining"}': 1,
      'workers_verified{role="current"}': 1,
      'workers_verified{role="draining"}': 0,
      last_verified_sync_timestamp_seconds: Date.parse('2026-11-21T12:00:00Z') / 1_000,
      reload_pending: 1,
      reload_pending_attempts: 2,
      'health_status{status="ok"}': 0,
      'health_status{status="degraded"}': 1,
      'health_part_ok{part="reload"}': 0,
      'health_part_ok{part="database"}': 1,
      [`build_info{version="0.1.0",node_version="${process.versions.node}"}`]: 1,
      'proxy_info{version="3.0.11"}': 1,
      'frontend_denied_requests_total{frontend="http"}': 3,
      'backend_requests_total{backend="site_a.example",site="a.example"}': 4,
      proxy_stats_up: 1,
    });
    blocked = 13;
    expect(samplesOf(await metrics.scrape('prometheus'))['entries{set="blocked"}']).toBe(13);
  });

  it('shows no value for unchecked parts, and their number', async () => {
    const parts = { database: null, map_file: null, master_socket: true, workers: true } as Record<
      string,
      boolean | null
    >;
    const rest = { runtime_map: false, reload: true, proxy: true, version: true };
    const { metrics } = metricsKit({
      health: async () => ({ status: 'degraded', parts: { ...parts, ...rest } as HealthVerdict['parts'] }),
    });
    const samples = samplesOf(await metrics.scrape('prometheus'));
    expect(samples).toMatchObject({ health_parts_unknown: 2, 'health_part_ok{part="runtime_map"}': 0 });
    expect(samples['health_part_ok{part="database"}']).toBeUndefined();
  });

  it('omits unavailable values, and logs the failure once', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('no room');
    };
    const { metrics, warned } = metricsKit({
      storedFacts: fail,
      expiringEntries: fail,
      claims: fail,
      webhookBacklogs: fail,
      health: fail,
      proxyStats: fail,
    });
    for (let round = 0; round < 2; round += 1) {
      const samples = samplesOf(await metrics.scrape('prometheus'));
      expect(samples).toMatchObject({ 'entries{set="blocked"}': 12, proxy_stats_up: 0 });
      const shown = Object.keys(samples).filter((name) =>
        /^(health|webhook|expiring|claims|next_|sites|frontend|backend)/.test(name),
      );
      expect(shown).toEqual([]);
    }
    expect(warned.toSorted()).toEqual([
      'Metrics lack the health: no room',
      'Metrics lack the number of claims: no room',
      'Metrics lack the number of temporary blocks: no room',
      'Metrics lack the numbers of the database: no room',
      'Metrics lack the statistics of HAProxy: no room',
      'Metrics lack the webhook backlogs: no room',
    ]);
  });

  it('logs again after values were available meanwhile', async () => {
    // Results stay fresh longer after a slow probe, which takes no time here.
    using _time = stopTime();
    const rounds = ['fails', 'fails', 'succeeds', 'fails'];
    const { metrics, warned } = metricsKit({
      expiringEntries: async () => {
        if (rounds.shift() === 'fails') throw new Error('no room');
        return 5;
      },
    });
    while (rounds.length > 0) await metrics.scrape('prometheus');
    expect(warned).toEqual(Array(2).fill('Metrics lack the number of temporary blocks: no room'));
  });

  it('is shared by concurrent requests', async () => {
    let asked = 0;
    const { metrics } = metricsKit({
      proxyVersion: () => {
        asked += 1;
        return '3.0.11';
      },
    });
    const [prometheus, again, open] = await Promise.all([
      metrics.scrape('prometheus'),
      metrics.scrape('prometheus'),
      metrics.scrape('openmetrics'),
    ]);
    expect(asked).toBe(1);
    expect(again).toBe(prometheus);
    expect(open).toMatch(/# EOF\n$/);
    await metrics.scrape('prometheus');
    expect(asked).toBe(2);
  });

  it('waits no longer than its deadline for a part that does not answer', async () => {
    using time = stopTime();
    const never = () => new Promise<never>(() => undefined);
    const { metrics } = metricsKit(
      {
        storedFacts: never,
        expiringEntries: never,
        claims: never,
        webhookBacklogs: never,
        health: never,
        proxyStats: never,
      },
      20,
    );
    let made = false;
    const scrape = metrics.scrape('prometheus').finally(() => {
      made = true;
    });
    await time.pass(19);
    await settled();
    expect(made).toBe(false);
    await time.pass(1);
    expect(samplesOf(await scrape)).toMatchObject({ proxy_stats_up: 0, queued_changes: 3 });
  });
});

describe('metrics of the parts', () => {
  it('counts operations by result, and their entries by change', async () => {
    const { observers, metrics } = metricsKit();
    const ended = (...about: Parameters<typeof endedOperation>) => observers.operations.ended(endedOperation(...about));
    ended('block', {
      verifiedEverywhere: false,
      outcome: { runtimeMapFailuresTotal: 2 },
      counts: { added: 1 },
    });
    ended('batch', { verifiedEverywhere: true, counts: { added: 5, removed: 2, rejected: 1 } });
    ended('unblock', { status: 404, counts: { removed: 1 } });
    ended('set_webhook', { status: 503 });
    // Never reached its handler; and what is not counted.
    ended('trust', { status: 403, attempted: false });
    ended('sign_in');
    observers.operations.listener({
      type: 'operation.done',
      data: { operation: 'expire', caller: null, subject: { count: 4 }, ip_addresses: [], auditRows: [], report },
    });
    expect(samplesOf(await metrics.scrape('prometheus'))).toMatchObject({
      'operations_total{operation="block",result="incomplete"}': 1,
      'operations_total{operation="block",result="done"}': 0,
      'operations_total{operation="batch",result="done"}': 1,
      'operations_total{operation="expire",result="done"}': 1,
      'operations_total{operation="unblock",result="refused"}': 1,
      'entry_changes_total{operation="unblock",change="removed"}': 0,
      'operations_total{operation="set_webhook",result="failed"}': 1,
      'operations_total{operation="trust",result="refused"}': 0,
      'entry_changes_total{operation="batch",change="added"}': 5,
      'entry_changes_total{operation="batch",change="removed"}': 2,
      'entry_changes_total{operation="batch",change="rejected"}': 1,
      'entry_changes_total{operation="batch",change="unchanged"}': 0,
      'entry_changes_total{operation="expire",change="removed"}': 4,
      'read_back_failures_total{operation="block"}': 2,
    });
  });

  it('a refused site does not count as a failed configuration, any other refusal does', async () => {
    const { observers, metrics } = metricsKit();
    const last = async () => samplesOf(await metrics.scrape('prometheus'))['last_reload_successful'];
    expect(await last()).toBeUndefined();
    observers.reloads.ended({ status: 'completed', purpose: 'site', milliseconds: 40 });
    observers.reloads.ended({ status: 'refused', purpose: 'site', milliseconds: 40 });
    observers.reloads.ended({ status: 'refused', purpose: 'restore', milliseconds: 40 });
    expect(await last()).toBe(1);
    observers.reloads.ended({ status: 'failed', purpose: 'site', milliseconds: 40 });
    expect(await last()).toBe(0);
    observers.reloads.ended({ status: 'completed', purpose: 'scheduled', milliseconds: 40 });
    expect(await last()).toBe(1);
    observers.reloads.ended({ status: 'refused', purpose: 'requested', milliseconds: 40 });
    expect(await last()).toBe(0);
    expect(samplesOf(await metrics.scrape('prometheus'))).toMatchObject({
      'reloads_total{result="refused",reason="site"}': 1,
      'reloads_total{result="completed",reason="scheduled"}': 1,
      'reload_duration_seconds_count{result="refused"}': 3,
    });
  });

  it('include a webhook from its creation until its removal', async () => {
    const { observers, metrics } = metricsKit({ webhookBacklogs: async () => [] });
    observers.webhooks.began('chat');
    observers.webhooks.tried('chat', 'failed');
    observers.webhooks.tried('chat', 'given_up');
    const hookSeries = async () =>
      Object.entries(samplesOf(await metrics.scrape('prometheus'))).filter(([name]) => name.startsWith('webhook'));
    expect(await hookSeries()).toEqual([
      ['webhook_deliveries_total{webhook="chat",result="delivered"}', 0],
      ['webhook_deliveries_total{webhook="chat",result="failed"}', 1],
      ['webhook_deliveries_total{webhook="chat",result="given_up"}', 1],
    ]);
    observers.webhooks.removed('chat');
    expect(await hookSeries()).toEqual([]);
  });

  it('counts requests by route and class, and unknown paths in one series', async () => {
    const { metrics } = metricsKit();
    metrics.answered('GET', '/api/sites/:domain', 404, 1.5);
    metrics.answered('GET', null, 404, 1);
    metrics.answered('PROPFIND', null, 404, 1);
    const samples = samplesOf(await metrics.scrape('prometheus'));
    expect(samples).toMatchObject({
      'http_request_duration_seconds_count{method="GET",route="/api/sites/:domain",status="4xx"}': 1,
      'http_request_duration_seconds_sum{method="GET",route="/api/sites/:domain",status="4xx"}': 0.0015,
      'http_request_duration_seconds_count{method="",route="none",status="4xx"}': 2,
    });
  });
});

describe('the metrics', () => {
  it('are those of docs/metrics.md, with their types and labels', async () => {
    const kit = metricsKit();
    const served = kit.registry.getMetricsAsArray() as unknown as readonly {
      name: string;
      type: string;
      labelNames: string[];
    }[];
    const documented = [...read('docs/metrics.md').matchAll(/^\| `([a-z0-9_]+)` \| (\w+) \| ([^|]*)\|/gm)].map(
      ([, name, type, labels = '']) => ({
        name,
        type,
        // A label precedes the colon or bracket with its values.
        labelNames: [...labels.replaceAll(/[:(][^;`]*(?=$|;|,? `)/g, ' ').matchAll(/`([a-z_]+)`/g)].map(
          ([, label]) => label,
        ),
      }),
    );
    const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) => (a.name! < b.name! ? -1 : 1);
    expect(documented.toSorted(byName)).toEqual(
      served.map(({ name, type, labelNames }) => ({ name, type, labelNames: [...labelNames] })).toSorted(byName),
    );
  });

  it('have no address, no key and no words in their labels', async () => {
    const text = await everything();
    for (const [, value] of text.matchAll(/[a-z_]+="([^"]*)"/g))
      expect(value).not.toMatch(/\d+\.\d+\.\d+\.\d+\/?\d*$|::/);
  });

  it('stay below the size limit of a scrape', async () => {
    expect((await everything()).length).toBeLessThan(100_000);
  });
});

describeWithPromtool('promtool', () => {
  it('reports no problem in the metrics', async () => {
    expect(promtool(['check', 'metrics'], await everything())).toEqual({ fine: true, said: '' });
  });
});
