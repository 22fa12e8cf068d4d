// Whether a configuration contains a site: an operator's template may ignore the sites.
import { configLines } from '../rules/config-lines.ts';
import { backendName } from './render-scope.ts';

/** It has the site's backend, or a word that is its domain. Does not prove that requests reach it. */
export function servesSite(configText: string, domain: string): boolean {
  const names = new Set([domain, backendName(domain)]);
  for (const { words } of configLines(configText)) {
    if (words.some((word) => names.has(word))) return true;
  }
  return false;
}
