import type { FastifyInstance } from 'fastify';
import { getSiteTls, setSiteTls } from '../api/site-tls.ts';
import { getSite, listServers, listSites, removeSite, setSite } from '../api/sites.ts';
import { handle } from './handle.ts';
import { consentOf, pathDomain } from './request-values.ts';
import type { Services } from './services.ts';
import { readSite, siteChange } from './site-request.ts';
import { readSiteTls, siteTlsChange } from './site-tls-request.ts';

export function sitesRoutes(app: FastifyInstance, { sites, sitesTls }: Services): void {
  handle(app, listSites, async () => {
    const items = await sites.list();
    return { items, total: items.length };
  });
  handle(app, getSite, ({ params }) => sites.get(pathDomain(params.domain)));
  handle(app, setSite, async ({ params, query, body, caller, answerWith }) => {
    const domain = pathDomain(params.domain);
    const { created, answer } =
      query.keep_absent === true
        ? await sites.change(domain, siteChange(domain, body), consentOf(query), caller)
        : await sites.put(readSite(domain, body), consentOf(query), caller);
    answerWith(created ? 201 : 200);
    return answer;
  });
  handle(app, removeSite, ({ params, query, caller }) =>
    sites.remove(pathDomain(params.domain), consentOf(query), caller),
  );
  handle(app, getSiteTls, ({ params }) => sitesTls.get(pathDomain(params.domain)));
  handle(app, setSiteTls, ({ params, query, body, caller }) => {
    const domain = pathDomain(params.domain);
    return query.keep_absent === true
      ? sitesTls.change(domain, siteTlsChange(body), caller)
      : sitesTls.put(domain, readSiteTls(body), caller);
  });
  handle(app, listServers, async ({ params }) => ({ items: await sites.servers(pathDomain(params.domain)) }));
}
