// The names of sites: which are valid, and which site a request's Host belongs to.
import { wildcardOver } from './certificate-name.ts';
import { type Parsed, parsed, refused } from './parsed.ts';
import { quote } from './quote.ts';
import { lowerAscii, parseDomain, type Site } from './site.ts';

const validWildcard = 'a wildcard is *. and a name of two parts or more, such as *.example.com';

/** A further name of a site, lower-cased: a host name, or a wildcard that covers one label (`*.example.com`). */
export function parseSiteName(text: string): Parsed<string> {
  const name = lowerAscii(text);
  if (!name.includes('*')) return parseDomain(text);
  const shown = quote(text);
  if (!name.startsWith('*.') || name.includes('*', 1)) return refused(`${shown} is not valid: ${validWildcard}`);
  const above = parseDomain(name.slice(2));
  if (!above.ok) return refused(`${shown} is not valid: ${validWildcard} (${above.why})`);
  if (!above.value.includes('.')) return refused(`${shown} would cover a whole top-level domain; ${validWildcard}`);
  if (name.length > 253) return refused(`${shown} is longer than 253 characters`);
  return parsed(name);
}

export function isWildcard(name: string): boolean {
  return name.startsWith('*.');
}

/** Its domain first, then the others in their order. */
export function namesOf({ domain, names = [] }: Pick<Site, 'domain' | 'names'>): readonly string[] {
  return [domain, ...names];
}

/** Its names without the wildcards. */
export function hostNamesOf(site: Pick<Site, 'domain' | 'names'>): readonly string[] {
  return namesOf(site).filter((name) => !isWildcard(name));
}

/** All names of some sites. A name belongs to one site; an exact name wins over a wildcard. */
export class SiteNames<S extends Pick<Site, 'domain' | 'names'>> {
  readonly #owners = new Map<string, S>();

  constructor(sites: Iterable<S>) {
    for (const site of sites) for (const name of namesOf(site)) this.#owners.set(name, site);
  }

  /** Undefined: no site has this very name, which may be a wildcard. */
  ownerOf(name: string): S | undefined {
    return this.#owners.get(name);
  }

  /** The site that answers requests for a host name. Undefined: none. */
  siteFor(host: string): S | undefined {
    return this.#owners.get(host) ?? this.#owners.get(wildcardOver(host));
  }
}
