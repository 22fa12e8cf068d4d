import { finished } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { getMetrics } from '../api/metrics.ts';
import { isPreferred } from '../errors/negotiate.ts';
import { handle } from './handle.ts';
import { encodingsOf } from './panel-asset.ts';
import { RequestLimit } from './request-limit.ts';
import type { MetricsForm, Services } from './services.ts';

/** A tenth of the size for 1 ms in another thread. */
const compressed = promisify((text: string, done: (error: Error | null, result: Buffer) => void) =>
  gzip(text, { level: 1 }, done),
);

const contentTypes: Readonly<Record<MetricsForm, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};
/** Each may need a megabyte until its client has read it, without a key if PROXY_MANAGER_METRICS_OPEN is set. */
const MAX_SCRAPES = 16;

export function metricsRoutes(app: FastifyInstance, { metrics }: Services): void {
  const scrapes = new RequestLimit(MAX_SCRAPES);

  handle(app, getMetrics, async ({ request, reply }) => {
    const end = scrapes.begin(request.keyName);
    finished(reply.raw, end);
    const wanted = isPreferred('application/openmetrics-text', 'text/plain', request.headers.accept);
    const form = wanted ? 'openmetrics' : 'prometheus';
    const text = await metrics.scrape(form);
    reply.type(contentTypes[form]).header('vary', 'Accept, Accept-Encoding');
    if (!encodingsOf(request.headers['accept-encoding']).has('gzip')) return reply.send(text);
    return reply.header('content-encoding', 'gzip').send(await compressed(text));
  });
}
