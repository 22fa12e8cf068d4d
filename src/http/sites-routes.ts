import type { FastifyInstance } from 'fastify';
import { getSiteTls, setSiteTls } from '../api/site-tls.ts';
import { getSite, listServers, listSites, removeSite, setSite } from '../api/sites.ts';
import { handle } from './handle.ts';
import { consentOf, pathDomain } from './request-values.ts';
import type { Services } from './services.ts';
import { readSite } from './site-request.ts';
import { readSiteTls } from './site-tls-request.ts';

export function sitesRoutes(app: FastifyInstance, { sites, sitesTls }: Services): void {
  handle(app, listSites, async () => {
    const items = await sites.list();
    return { items, total: items.length };
  });
  handle(app, getSite, ({ params }) => sites.get(pathDomain(params.domain)));
  handle(app, setSite, async ({ params, query, body, caller, answerWith }) => {
    const { created, answer } = await sites.put(readSite(params.domain, body), consentOf(query), caller);
    answerWith(created ? 201 : 200);
    return answer;
  });
  handle(app, removeSite, ({ params, query, caller }) =>
    sites.remove(pathDomain(params.domain), consentOf(query), caller),
  );
  handle(app, getSiteTls, ({ params }) => sitesTls.get(pathDomain(params.domain)));
  handle(app, setSiteTls, ({ params, body, caller }) =>
    sitesTls.put(pathDomain(params.domain), readSiteTls(body), caller),
  );
  handle(app, listServers, async ({ params }) => ({ items: await sites.servers(pathDomain(params.domain)) }));
}
