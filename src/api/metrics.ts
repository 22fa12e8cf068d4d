import Type from 'typebox';
import { operation } from './operation.ts';

const tag = 'Metrics';

const PrometheusText = Type.Unsafe<string>({
  title: 'PrometheusText',
  type: 'string',
  description: 'Lines of `name{label="value"} number`, with `# HELP` and `# TYPE` before each metric.',
});
const OpenMetricsText = Type.Unsafe<string>({
  title: 'OpenMetricsText',
  type: 'string',
  description: 'The same as OpenMetrics: `# TYPE` names counters without `_total`, and the last line is `# EOF`.',
});

export const getMetrics = operation({
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  access: 'read',
  audit: null,
  quiet: true,
  tag,
  summary: 'Get the metrics',
  description:
    'In the Prometheus text format 0.0.4, or as OpenMetrics 1.0.0 if `Accept` prefers it. docs/metrics.md explains each metric. With PROXY_MANAGER_METRICS_OPEN no key is needed. Values that are not available within two seconds are omitted.',
  answers: {
    200: {
      description: 'All metrics, one per line.',
      content: {
        'text/plain': PrometheusText,
        'application/openmetrics-text': OpenMetricsText,
      },
    },
  },
  examples: {
    prometheus: {
      summary: 'Some lines',
      answer:
        '# TYPE proxy_manager_entries gauge\nproxy_manager_entries{set="blocked"} 1204\nproxy_manager_entries{set="trusted"} 3\n',
    },
    openmetrics: {
      summary: 'As OpenMetrics',
      accept: 'application/openmetrics-text',
      answer:
        '# TYPE proxy_manager_frontend_denied_requests counter\nproxy_manager_frontend_denied_requests_total{frontend="http"} 58\n# EOF\n',
    },
  },
});

export const metricsOperations = [getMetrics] as const;
