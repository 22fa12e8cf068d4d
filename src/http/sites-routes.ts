import type { TypedApp } from './app.ts';
import { callerOf } from './request-context.ts';
import { pathParameter } from './schemas/common.ts';
import {
  ReplaceQuery,
  ServerStatesSchema,
  SiteAnswerSchema,
  SiteBody,
  SiteRemovedSchema,
  SiteSchema,
  SitesSchema,
} from './schemas/sites.ts';
import type { Services } from './services.ts';
import { pathDomain, readSite } from './site-request.ts';

const params = pathParameter('domain');

/** A hundred servers with the longest names and every option are 37 KiB, and 69 when generously indented. */
const LARGEST_SITE_BYTES = 131_072;

const consentOf = (query: { readonly replace_configuration?: boolean }) => ({
  replace: query.replace_configuration === true,
});

export function sitesRoutes(app: TypedApp, { sites }: Services): void {
  app.get('/api/sites', { schema: { response: { 200: SitesSchema } } }, async () => {
    const items = await sites.list();
    return { items, total: items.length };
  });

  app.get('/api/sites/:domain', { schema: { params, response: { 200: SiteSchema } } }, async (request) =>
    sites.get(pathDomain(request.params.domain)),
  );

  app.put(
    '/api/sites/:domain',
    {
      bodyLimit: LARGEST_SITE_BYTES,
      schema: {
        params,
        querystring: ReplaceQuery,
        body: SiteBody,
        response: { 200: SiteAnswerSchema, 201: SiteAnswerSchema },
      },
    },
    async (request, reply) => {
      const site = readSite(request.params.domain, request.body);
      const { created, answer } = await sites.put(site, consentOf(request.query), callerOf(request));
      return reply.code(created ? 201 : 200).send(answer);
    },
  );

  app.delete(
    '/api/sites/:domain',
    { schema: { params, querystring: ReplaceQuery, response: { 200: SiteRemovedSchema } } },
    async (request) => sites.remove(pathDomain(request.params.domain), consentOf(request.query), callerOf(request)),
  );

  app.get(
    '/api/sites/:domain/servers',
    { schema: { params, response: { 200: ServerStatesSchema } } },
    async (request) => ({
      items: await sites.servers(pathDomain(request.params.domain)),
    }),
  );
}
