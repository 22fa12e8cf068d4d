import type { SiteTlsRequest } from '../api/site-tls.ts';
import { parseHsts, type SiteTls } from '../domain/site-tls.ts';
import { rejectedFields } from './rejections.ts';

/** Errors: 100. */
export function readSiteTls({ redirect = 'off', hsts = null }: SiteTlsRequest): SiteTls {
  if (hsts === null) return { redirect, hsts };
  const { max_age, include_subdomains = false, preload = false } = hsts;
  const parsed = parseHsts({ max_age, include_subdomains, preload });
  if (!parsed.ok) throw rejectedFields([{ name: 'hsts.preload', description: parsed.why }]);
  return { redirect, hsts: parsed.value };
}
