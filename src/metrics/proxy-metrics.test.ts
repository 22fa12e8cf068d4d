import { Registry } from '@prometheus-io/client';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProxyStat } from '../haproxy/process/proxy-stats.ts';
import { expositionOf } from './exposition.ts';
import { Instruments } from './instruments.ts';
import { listedAtMost, ProxyMetrics } from './proxy-metrics.ts';

let registry: Registry;
let metrics: ProxyMetrics;
beforeEach(() => {
  registry = new Registry();
  metrics = new ProxyMetrics(new Instruments(registry));
});

const stat = (kind: ProxyStat['kind'], name: string, by = 1): ProxyStat => ({
  kind,
  name,
  requests: 100 * by,
  denied: 10 * by,
  serverErrors: 5 * by,
  responseMs: 0,
  sessions: by,
  down: false,
});
const siteOf = (backend: string) => (backend === 'welcome' ? '' : backend.replace('site_', ''));
const samples = async () => (await expositionOf(registry)).split('\n').filter((line) => /^[^#]/.test(line));

describe('the statistics of HAProxy', () => {
  it('are counted by frontend, and by backend and site', async () => {
    metrics.refresh([stat('frontend', 'http'), stat('backend', 'welcome'), stat('backend', 'site_a.example')], siteOf);
    expect(await samples()).toEqual([
      'proxy_manager_proxy_stats_up 1',
      'proxy_manager_frontend_requests_total{frontend="http"} 100',
      'proxy_manager_frontend_denied_requests_total{frontend="http"} 10',
      'proxy_manager_frontend_sessions{frontend="http"} 1',
      'proxy_manager_backend_requests_total{backend="site_a.example",site="a.example"} 100',
      'proxy_manager_backend_requests_total{backend="welcome",site=""} 100',
      'proxy_manager_backend_responses_5xx_total{backend="site_a.example",site="a.example"} 5',
      'proxy_manager_backend_responses_5xx_total{backend="welcome",site=""} 5',
      'proxy_manager_backend_sessions{backend="site_a.example",site="a.example"} 1',
      'proxy_manager_backend_sessions{backend="welcome",site=""} 1',
      'proxy_manager_proxy_unlisted{kind="frontend"} 0',
      'proxy_manager_proxy_unlisted{kind="backend"} 0',
    ]);
  });

  it('restart with the next worker, without removed sites', async () => {
    metrics.refresh([stat('backend', 'site_a.example', 9), stat('backend', 'site_b.example')], siteOf);
    metrics.refresh([stat('backend', 'site_a.example')], siteOf);
    const text = await expositionOf(registry);
    expect(text).toContain('backend_requests_total{backend="site_a.example",site="a.example"} 100\n');
    expect(text).not.toContain('b.example');
  });

  it('are absent, not zero, when they could not be read', async () => {
    metrics.refresh([stat('frontend', 'http')], siteOf);
    metrics.refresh(null, siteOf);
    expect(await samples()).toEqual(['proxy_manager_proxy_stats_up 0']);
  });

  it('of sites beyond the limit are added up, the same ones in any order, and stay below a megabyte', async () => {
    const long = 'a-name-as-long-as-they-come-in-practice.shop.example.com';
    const sites = Array.from({ length: 10_000 }, (_, n) =>
      stat('backend', `site_${String(n).padStart(5, '0')}.${long}`),
    );
    metrics.refresh(sites.toReversed(), siteOf);
    const text = await expositionOf(registry);
    expect(text.length).toBeLessThan(900_000);
    expect(text).toContain(`{backend="site_00999.${long}",site="00999.${long}"} 100\n`);
    expect(text).not.toContain('site_01000');
    expect(text).toContain(`requests_total{backend="(others)",site=""} ${100 * (10_000 - listedAtMost)}\n`);
    expect(text).toContain('proxy_manager_proxy_unlisted{kind="backend"} 9000\n');
  });
});
