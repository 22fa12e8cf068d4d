import type { ServerRequest, SiteRecord, SiteRequest } from '../api/site-records.ts';
import type { Parsed } from '../domain/parsed.ts';
import { quote } from '../domain/quote.ts';
import {
  lowerAscii,
  parsePort,
  parseServerAddress,
  parseServerOptions,
  type Site,
  type SiteRedirect,
  type SiteServer,
} from '../domain/site.ts';
import { hostNamesOf, isWildcard, parseSiteName } from '../domain/site-names.ts';
import { parseRedirectTarget } from '../domain/site-redirect.ts';
import { codes } from '../errors/catalogue.ts';
import type { FieldError } from '../errors/service-error.ts';
import { rejectedFields } from './rejections.ts';
import { pathDomain } from './request-values.ts';

/**
 * The site as it is to be, from the one that there is: what the body does not name is kept. Null: there is none, and the
 * body does not say what serves it. Errors, when it is called: those of `readSite`.
 */
export function siteChange(domain: string, body: SiteRequest): (stored: SiteRecord | null) => Site | null {
  return (stored) => {
    if (stored === null && body.servers === undefined && body.redirect === undefined) return null;
    return readSite(domain, { ...(stored === null ? {} : requestOf(stored)), ...body });
  };
}

function requestOf({ servers, names, canonical, enabled, redirect }: SiteRecord): SiteRequest {
  return { servers: [...servers], names: [...names], canonical, enabled, redirect };
}

/** What the body does not name has its default. Errors: 102 (neither servers nor a redirect), 105, 106 for its servers, 6055 for the other members. */
export function readSite(domain: string, body: SiteRequest): Site {
  const servers = body.servers ?? [];
  const badServers: FieldError[] = [];
  const bad: FieldError[] = [];
  const site = {
    domain: pathDomain(domain),
    servers: servers.map((server, index) => readServer(server, index, badServers)),
    enabled: body.enabled ?? true,
    redirect: readRedirect(body, bad),
  };
  const names = readNames(site.domain, body.names ?? [], bad);
  const canonical = readCanonical({ ...site, names }, body.canonical ?? null, bad);
  rejectDuplicates(site.servers, badServers);
  if (servers.length === 0 && site.redirect === null) {
    const description = 'required unless the site has a redirect; must be a list of 1 to 100 servers';
    throw rejectedFields([{ name: 'servers', description }], codes.InvalidBody);
  }
  if (badServers.length > 0) throw rejectedFields([...badServers, ...bad], codes.InvalidServer);
  if (bad.length > 0) throw rejectedFields(bad, codes.InvalidSite);
  return { ...site, names, canonical };
}

function readNames(domain: string, given: readonly string[], fields: FieldError[]): string[] {
  const names: string[] = [];
  for (const [index, text] of given.entries()) {
    const refuse = (description: string) => void fields.push({ name: `names[${index}]`, description });
    const name = parseSiteName(text);
    if (!name.ok) refuse(name.why);
    else if (name.value === domain) refuse(`${name.value} is the domain of the site itself; remove it`);
    else if (names.includes(name.value)) refuse(`duplicates ${name.value}; remove it`);
    else names.push(name.value);
  }
  return names;
}

function readCanonical(site: Site, given: string | null, fields: FieldError[]): string | null {
  if (given === null) return null;
  const refuse = (description: string): null => {
    fields.push({ name: 'canonical', description });
    return null;
  };
  const name = lowerAscii(given);
  if (site.redirect) return refuse('a site with a redirect sends all its names there; send null');
  if (hostNamesOf(site).includes(name)) return name;
  const shown = quote(given);
  if (isWildcard(name)) return refuse(`${shown} is a wildcard; give the domain or one of the names without *`);
  return refuse(`${shown} is neither the domain nor one of the names; give one of ${hostNamesOf(site).join(', ')}`);
}

function readRedirect({ redirect, servers = [] }: SiteRequest, fields: FieldError[]): SiteRedirect | null {
  if (redirect === undefined || redirect === null) return null;
  if (servers.length > 0) {
    fields.push({ name: 'redirect', description: 'a site has either servers or a redirect; remove one of them' });
  }
  const { status = 301, keep_path: keepPath = true } = redirect;
  const to = parseRedirectTarget(redirect.to, keepPath);
  if (!to.ok) fields.push({ name: 'redirect.to', description: to.why });
  return { to: to.ok ? to.value : redirect.to, status, keep_path: keepPath };
}

function readServer(server: ServerRequest, index: number, fields: FieldError[]): SiteServer {
  const take = <T>(name: string, given: T, reading: Parsed<T>): T => {
    if (reading.ok) return reading.value;
    fields.push({ name: `servers[${index}].${name}`, description: reading.why });
    return given;
  };
  return {
    address: take('address', server.address, parseServerAddress(server.address)),
    port: take('port', server.port, parsePort(server.port)),
    options: take('options', {}, parseServerOptions(server.options)),
  };
}

/** HAProxy would send a duplicate server twice the requests. */
function rejectDuplicates(servers: readonly SiteServer[], fields: FieldError[]): void {
  const seen = new Set<string>();
  for (const [index, { address, port }] of servers.entries()) {
    const server = `${address} port ${port}`;
    if (seen.has(server))
      fields.push({
        name: `servers[${index}]`,
        description: `duplicates ${server}; remove it. To send a server more requests, set its weight`,
      });
    seen.add(server);
  }
}
