// Read at start: a request path never reaches the file system. Needs no key; the page gets its data with one.
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codes } from '../errors/catalogue.ts';
import { isNamed } from '../errors/negotiate.ts';
import { ServiceError } from '../errors/service-error.ts';
import { encodingFor } from './panel-asset.ts';
import { panelPages } from './panel-pages.ts';
import { pagePolicy } from './security-headers.ts';
import type { Services } from './services.ts';

export const NONCE_PLACEHOLDER = '__CSP_NONCE__';
const CACHE_FOR_A_YEAR = 'public, max-age=31536000, immutable';

/** A browser gets the panel's page, which reports the missing page; programs get a problem document. */
export function isUnknownPageVisit({ method, headers, is404, url }: FastifyRequest): boolean {
  if (!is404 || method !== 'GET' || headers.authorization !== undefined) return false;
  return !url.startsWith('/api') && isNamed('text/html', headers.accept);
}

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers(pagePolicy(nonce))
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(NONCE_PLACEHOLDER, nonce));
}

export function panelRoutes(app: FastifyInstance, { panel }: Services): void {
  for (const page of panelPages) {
    app.get(page, { config: { open: true } }, async (_request, reply) => {
      if (panel.page === null) {
        const why = `the panel is unavailable: ${panel.problem ?? 'it was not built'}; the API works without it`;
        throw new ServiceError(codes.NotFound, 'show the panel', why);
      }
      return sendPage(reply, panel.page);
    });
  }

  app.get<{ Params: { name: string } }>('/assets/:name', { config: { open: true } }, async (request, reply) => {
    const asset = panel.assets.get(request.params.name);
    if (asset === undefined) throw new ServiceError(codes.NotFound, 'show the panel', 'the panel has no such file');
    reply.headers({ 'cache-control': CACHE_FOR_A_YEAR, etag: asset.etag, vary: 'Accept-Encoding' }).type(asset.type);
    if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send();
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding === null || asset.type === 'font/woff2') return reply.send(asset.bytes);
    return reply.header('content-encoding', encoding).send(await asset.encoded(encoding));
  });
}
