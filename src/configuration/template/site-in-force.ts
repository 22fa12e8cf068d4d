// What a configuration does with a site: an operator's template may ignore the sites, or some of their members.

import type { Site } from '../../domain/site.ts';
import { backendName } from '../../domain/site-backend.ts';
import { hostNamesOf, isWildcard } from '../../domain/site-names.ts';
import { configLines } from '../rules/config-lines.ts';
import { isNamesMap } from './names-map.ts';
import type { RenderedConfiguration } from './render.ts';

type IgnoredMember = 'names' | 'canonical' | 'enabled' | 'redirect';

interface SiteInForce {
  /** Its servers or its redirect answer. Does not prove that requests reach them. */
  readonly served: boolean;
  /** What the template does not apply. */
  readonly ignored: readonly IgnoredMember[];
}

/**
 * A template that uses the map of names applies every member. One that does not knows only the backends and host names
 * of enabled sites with servers (ADR 0078).
 */
export function siteInForce({ text, files }: Pick<RenderedConfiguration, 'text' | 'files'>, site: Site): SiteInForce {
  const { domain, names = [], canonical, redirect } = site;
  const backend = backendName(domain);
  const mentioned = wordsOf(text, new Set([backend, ...hostNamesOf(site)]));
  const served = mentioned.has(domain) || mentioned.has(backend);
  const enabled = site.enabled !== false;
  if (files.some(isNamesMap)) return { served: enabled && (Boolean(redirect) || served), ignored: [] };
  const inMap = files.some(({ content }) => content.includes(`\n${domain} ${backend}\n`));
  const isIgnored = {
    names: enabled && !redirect && names.some((name) => isWildcard(name) || !(inMap || mentioned.has(name))),
    canonical: enabled && Boolean(canonical),
    enabled: !enabled && mentioned.size > 0,
    redirect: enabled && Boolean(redirect),
  };
  const members = ['names', 'canonical', 'enabled', 'redirect'] as const;
  return { served, ignored: members.filter((member) => isIgnored[member]) };
}

function wordsOf(text: string, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { words } of configLines(text)) for (const word of words) if (wanted.has(word)) found.add(word);
  return found;
}
