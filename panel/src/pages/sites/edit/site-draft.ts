import { lowerAscii, parseDomain } from '../../../../../src/domain/site.ts';
import { parseSiteName, SiteNames } from '../../../../../src/domain/site-names.ts';
import { parseRedirectTarget, redirectFault } from '../../../../../src/domain/site-redirect.ts';
import type { Site, SiteRequest } from '../../../api/types.ts';
import { sentence } from '../../../parts/problem-alert.tsx';
import { asciiDomain } from './ascii-domain.ts';
import { draftOf, emptyDraft, isComplete, requestOf, type ServerDraft } from './server-draft.ts';

export interface SiteDraft {
  readonly domain: string;
  /** Separated by blanks, commas or newlines. */
  readonly names: string;
  /** Empty: none. */
  readonly canonical: string;
  readonly enabled: boolean;
  readonly answers: 'servers' | 'redirect';
  readonly servers: readonly ServerDraft[];
  readonly to: string;
  readonly status: 301 | 302 | 307 | 308;
  readonly keepPath: boolean;
}

type SiteFaults = Partial<Readonly<Record<'domain' | 'names' | 'canonical' | 'to' | 'servers', string>>>;

/** @param site null: a new one */
export function siteDraftOf(site: Site | null): SiteDraft {
  const { to = '', status = 301, keep_path: keepPath = true } = site?.redirect ?? {};
  return {
    domain: site?.domain ?? '',
    names: site?.names.join('\n') ?? '',
    canonical: site?.canonical ?? '',
    enabled: site?.enabled ?? true,
    answers: site?.redirect ? 'redirect' : 'servers',
    servers: site === null || site.servers.length === 0 ? [emptyDraft(0)] : site.servers.map(draftOf),
    to,
    status,
    keepPath,
  };
}

export function namesOfDraft({ names }: SiteDraft): string[] {
  return names.split(/[\s,]+/).flatMap((name) => (name === '' ? [] : [lowerAscii(name)]));
}

/** The names that can be the canonical one. */
export function canonicalChoices(draft: SiteDraft): string[] {
  const names = [lowerAscii(draft.domain.trim()), ...namesOfDraft(draft)];
  return [...new Set(names)].filter((name) => name !== '' && !name.includes('*'));
}

export function siteRequestOf(draft: SiteDraft): SiteRequest {
  const names = namesOfDraft(draft);
  const redirects = draft.answers === 'redirect';
  return {
    ...(redirects
      ? { redirect: { to: draft.to.trim(), status: draft.status, keep_path: draft.keepPath } }
      : { servers: draft.servers.map(requestOf) }),
    ...(names.length === 0 ? {} : { names }),
    ...(redirects || draft.canonical === '' ? {} : { canonical: draft.canonical }),
    ...(draft.enabled ? {} : { enabled: false }),
  };
}

/** The request that makes a site as it is. */
export function siteRequestFor({ servers, names, canonical, enabled, redirect }: Site): SiteRequest {
  return { servers: [...servers], names: [...names], canonical, enabled, redirect };
}

/** @param site that is edited; null: a new one */
export function siteFaultsOf(draft: SiteDraft, site: Site | null, sites: readonly Site[]): SiteFaults {
  const others = sites.filter(({ domain }) => domain !== site?.domain);
  const faults: { -readonly [Name in keyof SiteFaults]: string } = {};
  const domain = site === null ? domainFault(draft.domain, others) : null;
  const names = namesFault(draft, others);
  const duplicate = duplicateServer(draft);
  if (domain !== null) faults.domain = domain;
  if (names !== null) faults.names = names;
  if (draft.answers === 'servers') {
    if (duplicate !== null)
      faults.servers = `${duplicate} is listed twice. To send it more requests, raise its weight.`;
    if (draft.canonical !== '' && !canonicalChoices(draft).includes(draft.canonical))
      faults.canonical = `${draft.canonical} is no longer one of the names.`;
  } else if (draft.to.trim() !== '') {
    const to = parseRedirectTarget(draft.to.trim(), draft.keepPath);
    if (!to.ok)
      faults.to = sentence(to.why.replace('send keep_path: false', 'do not append the path'), draft.to.trim());
  }
  if (Object.keys(faults).length === 0) {
    const loop = redirectFault(siteOf(draft), others);
    if (loop !== undefined) faults[draft.answers === 'redirect' ? 'to' : 'canonical'] = sentence(loop.why);
  }
  return faults;
}

export function isCompleteSite(draft: SiteDraft, faults: SiteFaults): boolean {
  if (draft.domain.trim() === '' || Object.keys(faults).length > 0) return false;
  return draft.answers === 'redirect' ? draft.to.trim() !== '' : draft.servers.every(isComplete);
}

function siteOf(draft: SiteDraft): Pick<Site, 'domain' | 'servers' | 'names' | 'canonical' | 'redirect'> {
  const { to, status, keepPath } = draft;
  const redirects = draft.answers === 'redirect' && to.trim() !== '';
  return {
    domain: lowerAscii(draft.domain.trim()),
    servers: [],
    names: namesOfDraft(draft),
    canonical: redirects || draft.canonical === '' ? null : draft.canonical,
    redirect: redirects ? { to: to.trim(), status, keep_path: keepPath } : null,
  };
}

function domainFault(text: string, others: readonly Site[]): string | null {
  if (text.trim() === '') return null;
  const domain = parseDomain(text.trim());
  if (asciiDomain(text) !== null) return 'Use the xn-- form of this domain.';
  if (!domain.ok) return sentence(domain.why, text.trim());
  const owner = new SiteNames(others).ownerOf(domain.value);
  if (owner === undefined) return null;
  return owner.domain === domain.value ? 'This site already exists. Edit it instead.' : takenBy(domain.value, owner);
}

function namesFault(draft: SiteDraft, others: readonly Site[]): string | null {
  const owners = new SiteNames(others);
  const seen = new Set([lowerAscii(draft.domain.trim())]);
  for (const text of namesOfDraft(draft)) {
    const ascii = asciiDomain(text);
    if (ascii !== null) return `Use the xn-- form: ${ascii}.`;
    const name = parseSiteName(text);
    if (!name.ok) return sentence(name.why, text);
    const owner = owners.ownerOf(name.value);
    if (owner !== undefined) return takenBy(name.value, owner);
    if (seen.has(name.value)) return `${name.value} is listed twice.`;
    seen.add(name.value);
  }
  return null;
}

function takenBy(name: string, { domain }: Site): string {
  return `${name} is a name of the site ${domain}. Remove it there first.`;
}

function duplicateServer({ servers }: SiteDraft): string | null {
  const seen = new Set<string>();
  for (const { address, port } of servers) {
    const server = `${address.trim().toLowerCase()} port ${port.trim()}`;
    if (address.trim() !== '' && seen.has(server)) return server;
    seen.add(server);
  }
  return null;
}
