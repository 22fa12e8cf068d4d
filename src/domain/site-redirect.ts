// Redirects of sites: valid targets, and redirects that would lead to another redirect of ours.
import { isIP } from 'node:net';
import { type Parsed, parsed, refused } from './parsed.ts';
import { quote } from './quote.ts';
import { hostNameFault, lowerAscii, type Site } from './site.ts';
import { hostNamesOf, SiteNames } from './site-names.ts';

const longest = 2_000;
/** RFC 3986; the service separates the fields of a map's value by `|`, which no URL contains. */
const urlCharacters = /^[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]*$/;
const parts = /^(https?):\/\/([^/?#]*)([^?#]*)([?#].*)?$/;

/** The address to redirect to, with scheme and host in lower case. */
export function parseRedirectTarget(text: string, keepPath: boolean): Parsed<string> {
  const shown = quote(text);
  if (text.length > longest) return refused(`is longer than ${longest} characters`);
  if (!urlCharacters.test(text) || /%(?![0-9A-Fa-f]{2})/.test(text)) {
    return refused(`${shown} has characters that a URL cannot contain; write them as %20, and a name in its xn-- form`);
  }
  const [, scheme, authority = '', path = '', rest = ''] =
    parts.exec(text.replace(/^[a-z]+:\/\/[^/?#]*/i, lowerAscii)) ?? [];
  if (scheme === undefined) return refused(`${shown} is not a URL such as https://www.example.com`);
  if (authority.includes('@')) return refused(`${shown} contains a user name; remove it and its @`);
  const fault = authorityFault(authority);
  if (fault !== undefined) return refused(`${shown}: ${fault}`);
  if (keepPath && rest !== '') {
    return refused(`${shown} has a query or a fragment, to which no path can be appended; send keep_path: false`);
  }
  return parsed(`${scheme}://${authority}${path}${rest}`);
}

function authorityFault(authority: string): string | undefined {
  const [, address, name = '', port] = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(authority) ?? ['', ''];
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    return 'the port must be a whole number from 1 to 65535';
  }
  if (address !== undefined) return isIP(address) === 6 ? undefined : 'the host in brackets is not an IPv6 address';
  const fault = isIP(name) === 4 ? undefined : hostNameFault(name);
  return fault === undefined ? undefined : `the host ${quote(name)} ${fault}`;
}

/** Of a valid target, without the port: HAProxy compares a Host without it. */
export function hostOfTarget(to: string): string {
  return /^https?:\/\/(\[[^\]]*\]|[^/?#:]*)/.exec(to)?.[1] ?? '';
}

interface RedirectFault {
  readonly field: 'redirect.to' | 'redirect' | 'canonical' | 'names';
  readonly why: string;
}

/**
 * Why the redirects of `site` would lead to a redirect of ours again: back to itself, or in a chain. Undefined: they do
 * not. A disabled site counts as enabled, because enabling it checks nothing.
 */
export function redirectFault(site: Site, others: readonly Site[]): RedirectFault | undefined {
  const names = new SiteNames([...others, site]);
  if (site.redirect) {
    const host = hostOfTarget(site.redirect.to);
    const owner = names.siteFor(host);
    if (owner === site)
      return { field: 'redirect.to', why: `${host} is a name of this site, which would redirect it again` };
    const next = owner === undefined ? null : nextTarget(owner, host);
    if (owner !== undefined && next !== null) {
      const why = `${host} is a name of the site ${owner.domain}, which redirects it again: redirect to ${next} instead`;
      return { field: 'redirect.to', why };
    }
  }
  for (const other of others) {
    if (!other.redirect) continue;
    const host = hostOfTarget(other.redirect.to);
    const next = names.siteFor(host) === site ? nextTarget(site, host) : null;
    if (next !== null) {
      const field = site.redirect ? 'redirect' : 'canonical';
      return {
        field,
        why: `the site ${other.domain} redirects to ${host}, which would be redirected again: let it redirect to ${next} first`,
      };
    }
  }
  return undefined;
}

/** Where `site` redirects requests for `host`; null: nowhere. */
function nextTarget(site: Site, host: string): string | null {
  if (site.redirect) return site.redirect.to;
  const { canonical = null } = site;
  if (canonical === null || canonical === host) return null;
  return hostNamesOf(site).includes(host) ? canonical : null;
}
