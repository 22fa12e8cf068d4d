import type { FastifyInstance } from 'fastify';
import { getHealth, getLiveness, getReadiness, type Health } from '../api/health.ts';
import { grants } from '../domain/scope.ts';
import { causeText } from '../telemetry/log.ts';
import { handle } from './handle.ts';
import type { Services } from './services.ts';

/** HAProxy's messages quote the configuration, which may contain passwords (ADR 0024). */
function withoutTemplateText(report: Health): Health {
  const { last_reload: last, configuration_drift: drift } = report;
  return {
    ...report,
    last_reload: last === null ? null : { ...last, error: null },
    configuration_drift:
      drift === null || drift.reason === null
        ? drift
        : { ...drift, reason: 'it cannot be rendered or read; an admin key gets the full message' },
  };
}

export function healthRoutes(app: FastifyInstance, { health, log }: Services): void {
  handle(app, getHealth, async ({ request, answerWith }) => {
    const report = await health.health();
    answerWith(report.status === 'ok' ? 200 : 503);
    return grants(request.keyScopes ?? [], 'admin') ? report : withoutTemplateText(report);
  });
  handle(app, getLiveness, async ({ reply }) => reply.type('text/plain; charset=utf-8').send('alive'));
  // Needs no key, so it returns only one word.
  handle(app, getReadiness, async ({ request, reply, answerWith }) => {
    const ready = await isReady(request.id);
    answerWith(ready ? 200 : 503);
    return reply.type('text/plain; charset=utf-8').send(ready ? 'ready' : 'unready');
  });

  async function isReady(requestId: string): Promise<boolean> {
    try {
      return await health.ready();
    } catch (error) {
      log.error('Readiness probe failed', { request_id: requestId, cause: causeText(error) });
      return false;
    }
  }
}
