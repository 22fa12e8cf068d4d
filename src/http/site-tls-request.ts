import type { SiteTlsRequest } from '../api/site-tls.ts';
import { parseHsts, type SiteTls } from '../domain/site-tls.ts';
import { rejectedFields } from './rejections.ts';

/** The settings as they are to be, from those that there are: what the body does not name is kept. Errors: 100. */
export function siteTlsChange(body: SiteTlsRequest): (before: SiteTls) => SiteTls {
  const { redirect, hsts } = readSiteTls(body);
  return (before) => ({
    redirect: body.redirect === undefined ? before.redirect : redirect,
    hsts: body.hsts === undefined ? before.hsts : hsts,
  });
}

/** What the body does not name is off. Errors: 100. */
export function readSiteTls({ redirect = 'off', hsts = null }: SiteTlsRequest): SiteTls {
  if (hsts === null) return { redirect, hsts };
  const { max_age, include_subdomains = false, preload = false } = hsts;
  const parsed = parseHsts({ max_age, include_subdomains, preload });
  if (!parsed.ok) throw rejectedFields([{ name: 'hsts.preload', description: parsed.why }]);
  return { redirect, hsts: parsed.value };
}
