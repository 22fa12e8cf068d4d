// Whether a configuration has anything for a site. A template of an operator's own need not use the sites at all.
import { configLines } from '../rules/config-lines.ts';
import { backendName } from './render-scope.ts';

/** It has the site's backend, or a word that is its domain. That requests come there is not proved by it. */
export function servesSite(configText: string, domain: string): boolean {
  const names = new Set([domain, backendName(domain)]);
  for (const { words } of configLines(configText)) {
    if (words.some((word) => names.has(word))) return true;
  }
  return false;
}
