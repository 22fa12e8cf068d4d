// Metrics with a value for each.
import { Registry } from '@prometheus-io/client';
import type { ProxyStat } from '../../src/haproxy/process/proxy-stats.ts';
import { healthParts } from '../../src/health/health-verdict.ts';
import { type MetricSources, Metrics } from '../../src/metrics/metrics.ts';
import { MetricObservers } from '../../src/metrics/observers.ts';
import type { SetSources } from '../../src/metrics/set-metrics.ts';
import { endedOperation } from '../ended-operation.ts';

interface MetricsKit {
  readonly registry: Registry;
  readonly observers: MetricObservers;
  readonly metrics: Metrics;
  /** Log warnings with their causes. */
  readonly warned: string[];
}

const someStats: readonly ProxyStat[] = [
  { kind: 'frontend', name: 'http', requests: 7, denied: 3, serverErrors: 1, sessions: 2, responseMs: 0, down: false },
  {
    kind: 'backend',
    name: 'site_a.example',
    requests: 4,
    denied: 0,
    serverErrors: 1,
    sessions: 1,
    responseMs: 0,
    down: false,
  },
];

export const someSets: SetSources = {
  blockedEntries: () => 12,
  trustedEntries: () => 2,
  queuedChanges: () => 3,
  queuedTurns: () => 1,
  masterSocketUp: () => true,
  workers: () => [
    { role: 'current', whole: true },
    { role: 'draining', whole: false },
  ],
  lastVerifiedAt: () => new Date('2026-11-21T12:00:00Z'),
};

export function metricsKit(sources: Partial<MetricSources> = {}, patienceMs?: number): MetricsKit {
  const registry = new Registry();
  const observers = new MetricObservers(registry);
  const warned: string[] = [];
  const silent = () => undefined;
  const log = { info: silent, error: silent, warn: (text: string, fields = {}) => warned.push(join(text, fields)) };
  const all: MetricSources = {
    version: '0.1.0',
    proxyVersion: () => '3.0.11',
    sets: someSets,
    reloads: { scheduled: { attempts: 2 } },
    storedFacts: async () => ({ nextExpiry: '2026-11-21T13:00:00.000Z', sites: 1 }),
    expiringEntries: async () => 5,
    claims: async () => ({ manual: 4, agent: 3, list: 7 }),
    webhookBacklogs: async () => [{ id: 'chat', pending: 3, missed: 1, oldestAt: '2026-11-21T12:30:00.000Z' }],
    certificates: async () => ({
      active: 4,
      expired: 1,
      expiring: 2,
      soonest: '2026-11-20T12:00:00.000Z',
      workersBehind: 0,
    }),
    acme: async () => ({
      totals: { total: 6, byClass: new Map([['needs attention', 1]]), waitingSince: new Date('2026-11-20T12:00:00Z') },
      pausedUntil: new Date('2026-11-21T13:00:00Z'),
      clockOffsetMs: 400_000,
    }),
    insight: async () => ({
      ...{ knocking: 9, candidates: 1, attack: true, lastReadAt: 1_763_726_400 },
      neverMatched: { days: 90, count: 8 },
      used: new Map([['pm_denied', 0.25]]),
    }),
    unnamedRequests: async () => new Map([['lb', { requests: 8, lastAt: new Date('2026-11-21T12:00:00Z') }]]),
    health: async () => ({
      status: 'degraded',
      parts: Object.fromEntries(healthParts.map((part) => [part, part !== 'reload'])) as Record<
        (typeof healthParts)[number],
        boolean
      >,
    }),
    proxyStats: async () => ({ stats: someStats, siteOf: (backend) => backend.replace('site_', '') }),
    ...sources,
  };
  return { registry, observers, metrics: new Metrics({ registry, observers, sources: all, log, patienceMs }), warned };
}

/** Emits one of everything. */
export function emitAll({ observers, metrics }: MetricsKit): void {
  observers.operations.ended(endedOperation('block', { verifiedEverywhere: true, counts: { added: 1 } }));
  observers.groups.ended(3, 2.5);
  observers.commands.answered('get map', 0.1);
  observers.commands.failed('show proc', 'deadline');
  observers.drift.compared('blocked', 'whole');
  observers.webhooks.tried('chat', 'failed');
  observers.certificates.installed(90);
  observers.certificates.repaired();
  observers.acme.requested('createOrder', 'done');
  observers.acme.ordered(null);
  observers.insight.read({
    byKind: new Map([['list', 4]]),
    sites: new Map([['a.example', 16]]),
    ...{ notAttributed: 2, milliseconds: 20 },
  });
  observers.reloads.ended({ status: 'completed', purpose: 'site', milliseconds: 40 });
  metrics.answered('POST', '/api/blocked-ips', 201, 2.4);
}

/** By name and labels, as in the text. */
export function samplesOf(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const end = line.lastIndexOf(' ');
    samples[line.slice(0, end).replace(/^proxy_manager_/, '')] = Number(line.slice(end + 1));
  }
  return samples;
}

function join(text: string, fields: object): string {
  return [text, ...Object.values(fields)].join(': ');
}
