import Type from 'typebox';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';

const exposition = (title: string) => Type.Unsafe<string>({ title, type: 'string' });

export const operations: OperationDocs = {
  'GET /metrics': {
    id: 'getMetrics',
    tag: 'Metrics',
    summary: 'Tell Prometheus everything that is counted',
    description:
      'In the text format of Prometheus 0.0.4, or as OpenMetrics 1.0.0 where `Accept` prefers that. What each metric is: docs/metrics.md. Needs no key where PROXY_MANAGER_METRICS_OPEN says so. It holds up nothing: what cannot be had within two seconds is left out.',
    answers: {
      200: {
        description: 'All metrics, a line each.',
        content: {
          'text/plain': exposition('PrometheusText'),
          'application/openmetrics-text': exposition('OpenMetricsText'),
        },
      },
    },
    examples: {
      prometheus: {
        summary: 'Some of its lines',
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
  },
};

export const models: FieldDocs = {
  PrometheusText: 'Lines of `name{label="value"} number`, with `# HELP` and `# TYPE` before each metric.',
  OpenMetricsText:
    'The same as OpenMetrics: counters are named without `_total` in their heads, and the last line is `# EOF`.',
};
export const fields: FieldDocs = {};
