import { grants } from '../domain/scope.ts';
import { causeText } from '../telemetry/log.ts';
import type { TypedApp } from './app.ts';
import { HealthSchema } from './schemas/health.ts';
import type { HealthReport, Services } from './services.ts';

/** Messages of template and proxy quote the configuration, which may hold passwords: `admin`'s (ADR 0024). */
function withoutTemplateText(report: HealthReport): HealthReport {
  const { last_reload: last, configuration_drift: drift } = report;
  return {
    ...report,
    last_reload: last === null ? null : { ...last, error: null },
    configuration_drift:
      drift === null || drift.reason === null
        ? drift
        : { ...drift, reason: 'it cannot be rendered or read; an admin key is told why' },
  };
}

export function healthRoutes(app: TypedApp, { health, log }: Services): void {
  app.get('/health', { schema: { response: { 200: HealthSchema, 503: HealthSchema } } }, async (request, reply) => {
    const report = await health.health();
    const shown = grants(request.keyScopes ?? [], 'admin') ? report : withoutTemplateText(report);
    return reply.code(report.status === 'ok' ? 200 : 503).send(shown);
  });

  app.get('/livez', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('alive'));

  // Open to everybody, so one word and nothing else, whatever happens.
  app.get('/readyz', async (request, reply) => {
    const ready = await isReady(request.id);
    return reply
      .code(ready ? 200 : 503)
      .type('text/plain; charset=utf-8')
      .send(ready ? 'ready' : 'unready');
  });

  async function isReady(requestId: string): Promise<boolean> {
    try {
      return await health.ready();
    } catch (error) {
      log.error('Readiness could not be probed', { request_id: requestId, cause: causeText(error) });
      return false;
    }
  }
}
