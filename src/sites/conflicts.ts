// What a site may not have because of the other sites.
import type { Site } from '../domain/site.ts';
import { namesOf, SiteNames } from '../domain/site-names.ts';
import { redirectFault } from '../domain/site-redirect.ts';
import { codes } from '../errors/catalogue.ts';
import { type FieldError, ServiceError } from '../errors/service-error.ts';

const operation = 'set site';

/** Errors: 6054 for a name of another site, 6055 for a redirect to a redirect. */
export function refuseConflicts(site: Site, others: readonly Site[]): void {
  const names = new SiteNames(others);
  const taken: (FieldError & { readonly site: string })[] = [];
  for (const [index, name] of namesOf(site).entries()) {
    const owner = names.ownerOf(name);
    if (owner === undefined) continue;
    const description = `${name} is a name of the site ${owner.domain}`;
    taken.push({ name: index === 0 ? 'domain' : `names[${index - 1}]`, description, site: owner.domain });
  }
  const [first] = taken;
  if (first !== undefined) {
    const fields = taken.map(({ name, description }) => ({ name, description }));
    const detail = `${first.description}; remove it there first`;
    throw new ServiceError(codes.NameOfAnotherSite, operation, detail, { fields, members: { site: first.site } });
  }
  const fault = redirectFault(site, others);
  if (fault === undefined) return;
  const { field: name, why: description } = fault;
  throw new ServiceError(codes.InvalidSite, operation, `${name}: ${description}`, { fields: [{ name, description }] });
}
