// What a site wants of https: that requests over plain HTTP are redirected, and HSTS (RFC 6797).
import { type Parsed, parsed, refused } from './parsed.ts';

export interface Hsts {
  /** For how many seconds browsers use https alone; 0: they forget it. */
  readonly max_age: number;
  readonly include_subdomains: boolean;
  /** Wish to be in the list that browsers contain. */
  readonly preload: boolean;
}

export interface SiteTls {
  /** `auto`: as long as a certificate for the name is served. */
  readonly redirect: 'auto' | 'off';
  /** Null: the header is not sent. */
  readonly hsts: Hsts | null;
}

export const plainHttp: SiteTls = { redirect: 'off', hsts: null };

/** Ten years. */
export const mostHstsSeconds = 315_360_000;
/** What the list of preloaded names requires. */
const leastPreloadSeconds = 31_536_000;

export function parseHsts(hsts: Hsts): Parsed<Hsts> {
  if (hsts.preload && (!hsts.include_subdomains || hsts.max_age < leastPreloadSeconds)) {
    return refused(`preload requires include_subdomains, and a max_age of at least ${leastPreloadSeconds} (one year)`);
  }
  return parsed(hsts);
}

/**
 * The value of a name in the map: `redirect` or `off`, and for HSTS its max-age and scope, such as
 * `redirect:31536000:sub`. Null: the name needs no entry.
 */
export function httpsMapValue({ redirect, hsts }: SiteTls): string | null {
  const first = redirect === 'auto' ? 'redirect' : 'off';
  if (hsts === null) return redirect === 'auto' ? first : null;
  return `${first}:${hsts.max_age}:${hsts.preload ? 'preload' : hsts.include_subdomains ? 'sub' : 'only'}`;
}
