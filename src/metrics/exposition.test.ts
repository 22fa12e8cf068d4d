import { Registry } from '@prometheus-io/client';
import { describe, expect, it } from 'vitest';
import { asOpenMetrics, expositionOf } from './exposition.ts';
import { Instruments, OptionalGauge } from './instruments.ts';

function filled(): Registry {
  const registry = new Registry();
  const instruments = new Instruments(registry);
  instruments.counter('asked_total', 'How often.', ['who']).inc({ who: 'a "b" \\ c\nd' }, 2);
  instruments.gauge('now', 'What is now.').set(3);
  instruments.histogram('took_seconds', 'How long.', [0.1, 1]).observe(0.5);
  return registry;
}

const prometheus = `# HELP proxy_manager_asked_total How often.
# TYPE proxy_manager_asked_total counter
proxy_manager_asked_total{who="a \\"b\\" \\\\ c\\nd"} 2
# HELP proxy_manager_now What is now.
# TYPE proxy_manager_now gauge
proxy_manager_now 3
# HELP proxy_manager_took_seconds How long.
# TYPE proxy_manager_took_seconds histogram
proxy_manager_took_seconds_bucket{le="0.1"} 0
proxy_manager_took_seconds_bucket{le="1"} 1
proxy_manager_took_seconds_bucket{le="+Inf"} 1
proxy_manager_took_seconds_sum 0.5
proxy_manager_took_seconds_count 1
`;

describe('the text of a registry', () => {
  it('is in the format of Prometheus, on every scrape', async () => {
    const registry = filled();
    expect(await expositionOf(registry)).toBe(prometheus);
    asOpenMetrics(await expositionOf(registry));
    expect(await expositionOf(registry)).toBe(prometheus);
  });

  it('follows OpenMetrics: families without _total, samples with it, and an end mark', async () => {
    expect(asOpenMetrics(await expositionOf(filled()))).toBe(
      `${prometheus
        .replace('# HELP proxy_manager_asked_total', '# HELP proxy_manager_asked')
        .replace('# TYPE proxy_manager_asked_total', '# TYPE proxy_manager_asked')}# EOF\n`,
    );
  });

  it('has no value for an unknown gauge', async () => {
    const registry = new Registry();
    const gauge = new OptionalGauge(new Instruments(registry), 'next', 'The next.');
    const head = '# HELP proxy_manager_next The next.\n# TYPE proxy_manager_next gauge\n';
    expect(await expositionOf(registry)).toBe(head);
    gauge.set(0);
    expect(await expositionOf(registry)).toBe(`${head}proxy_manager_next 0\n`);
    gauge.set(null);
    expect(await expositionOf(registry)).toBe(head);
  });
});
