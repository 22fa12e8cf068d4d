// The alert rules and the dashboard use metrics that exist, and the alerts fire when they should.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metricsKit } from '../testkit/metrics/metrics-kit.ts';
import { describeWithPromtool, promtool } from '../testkit/promtool.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const rules = read('packaging/prometheus-alerts.yml');
const stories = read('packaging/prometheus-alerts.test.yml');
const docs = read('docs/metrics.md');
const dashboard = JSON.parse(read('packaging/grafana-dashboard.json'));
const names = [...rules.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name!);

/** Every series with a sample. */
const samples = new Set(['up']);
for (const { name, type } of metricsKit().registry.getMetricsAsArray()) {
  samples.add(name);
  if ((type as string) === 'histogram') for (const part of ['bucket', 'sum', 'count']) samples.add(`${name}_${part}`);
}
const unknown = (text: string) =>
  [...text.matchAll(/\b(?:proxy_manager|process|nodejs)_[a-z0-9_]+/g)]
    .map(([name]) => name)
    .filter((name) => !samples.has(name) && !name.endsWith('_'));

describe('the alerts', () => {
  it('use only metrics that exist', () => {
    expect(names.length).toBeGreaterThan(15);
    expect(unknown(rules)).toEqual([]);
    expect(unknown(stories)).toEqual([]);
  });

  it('each have a severity, a summary, an action and a link', () => {
    for (const name of names) {
      const rule = rules.slice(rules.indexOf(`- alert: ${name}\n`)).split('\n      - alert: ')[1 - 1]!;
      expect(rule).toMatch(/severity: (page|ticket)\n/);
      expect(rule).toMatch(/summary: '/);
      expect(rule).toMatch(/description: >-\n {12}\S/);
      expect(rule).toContain(`docs: docs/metrics.md#${name.toLowerCase()}\n`);
      expect(docs).toContain(`\n### ${name}\n`);
    }
    const explained = [...docs.matchAll(/^### (ProxyManager\w+)$/gm)].map(([, name]) => name);
    expect(explained).toEqual(names);
  });

  it('each have a scenario in which they fire', () => {
    const fired = new Set([...stories.matchAll(/alertname="(\w+)"\}/g)].map(([, name]) => name));
    expect([...fired].toSorted()).toEqual(names.toSorted());
  });
});

describe('the dashboard', () => {
  const panels: {
    id: number;
    title: string;
    type: string;
    gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
    targets?: { expr: string }[];
  }[] = dashboard.panels;
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  it('uses every metric, and only metrics that exist', () => {
    expect(queries.length).toBeGreaterThan(40);
    expect(unknown(JSON.stringify(dashboard))).toEqual([]);
    const asked = queries.join('\n');
    const missing = [...samples].filter((name) => !/_(bucket|sum|count)$/.test(name) && !asked.includes(name));
    expect(missing).toEqual([]);
  });

  it('has panels that neither overlap nor share an id', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const {
      title,
      gridPos: { x, y, w, h },
    } of panels) {
      expect({ title, right: x + w <= 24 }).toEqual({ title, right: true });
      for (let column = x; column < x + w; column += 1) {
        for (let line = y; line < y + h; line += 1) {
          expect({ title, taken: taken.has(`${column},${line}`) }).toEqual({ title, taken: false });
          taken.add(`${column},${line}`);
        }
      }
    }
  });
});

describeWithPromtool('promtool', () => {
  it('accepts the rules', () => {
    expect(promtool(['check', 'rules', join(root, 'packaging/prometheus-alerts.yml')])).toMatchObject({ fine: true });
  });

  it('fires every alert in its scenario, and none in the quiet one', () => {
    const judgement = promtool(['test', 'rules', join(root, 'packaging/prometheus-alerts.test.yml')]);
    expect(judgement).toMatchObject({ fine: true, said: expect.stringContaining('SUCCESS') });
  });

  it('understands every query of the dashboard', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pm-dashboard-'));
    try {
      const asRules = dashboard.panels
        .flatMap(({ targets = [] }: { targets?: { expr: string }[] }) => targets)
        .map(({ expr }: { expr: string }, index: number) => {
          const filled = expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
          return { record: `dashboard:query:${index}`, expr: filled };
        });
      const file = join(folder, 'rules.json');
      // JSON is YAML too.
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }));
      expect(promtool(['check', 'rules', file])).toMatchObject({ fine: true });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
