import { wildcardOver } from '../domain/certificate-name.ts';

/** An enabled site. */
export interface SiteNames {
  readonly domain: string;
  /** All its host names and wildcards, its domain among them, in lower case. */
  readonly names: readonly string[];
}

interface NamesOf {
  readonly id: string;
  readonly names: readonly string[];
}

/** The certificates that own these names, by name. */
export type OwnersOf = (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/**
 * The domains of the sites for which HAProxy serves these certificates, by id, in the order of the sites: a certificate
 * for the exact name comes before one for the wildcard above it. Certificates without a site are absent.
 */
export async function servedSites(
  certificates: readonly NamesOf[],
  sites: readonly SiteNames[],
  ownersOf: OwnersOf,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = new Map(certificates.flatMap(({ id, names }) => names.map((name) => [name, id] as const)));
  const byWildcard = sites.flatMap(({ names }) =>
    names.filter((name) => !ids.has(name) && ids.has(wildcardOver(name))),
  );
  const own = new Set(certificates.map(({ id }) => id));
  // Of these, the names that matter are those given here: a replacement may be about to change them.
  const exact = new Set([...(await ownersOf(byWildcard))].flatMap(([name, id]) => (own.has(id) ? [] : [name])));
  const served = new Map<string, Set<string>>();
  for (const { domain, names } of sites) {
    for (const name of names) {
      const id = ids.get(name) ?? (exact.has(name) ? undefined : ids.get(wildcardOver(name)));
      if (id === undefined) continue;
      const domains = served.get(id) ?? new Set();
      served.set(id, domains.add(domain));
    }
  }
  return new Map([...served].map(([id, domains]) => [id, [...domains]]));
}
