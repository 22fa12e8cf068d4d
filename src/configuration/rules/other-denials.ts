import { deniedTable } from '../../haproxy/process/counting-tables.ts';
import { type ProxySection, proxySections } from './proxy-sections.ts';
import type { Maps } from './rule-conditions.ts';
import type { Rule } from './rules.ts';
import { isRun, mayDeny, rulesInOrder } from './section-rules.ts';

/** Rules of these count in HAProxy's number of denied requests (`dreq`), whatever their status; not of connections. */
const countedAsDenied: ReadonlySet<string> = new Set(['deny', 'reject', 'silent-drop', 'tarpit']);

/** That a warning names: a template may have such a rule for each of thousands of sites. */
const mostNamed = 5;

/**
 * Warns of rules by which a configuration that counts denies other requests, once for all of them.
 * @param text of one file
 */
export function otherDenialWarnings(text: string, paths: Omit<Maps, 'valuesOnly'>): string[] {
  // Without the table, all denied requests are known only as a sum.
  if (!text.includes(deniedTable.name)) return [];
  const found = new Map<string, string>();
  for (const section of proxySections([{ path: '', text }])) {
    if (section.kind === 'global' || section.kind === 'defaults') continue;
    for (const { place } of otherDenials(section, { ...paths, valuesOnly: true }))
      if (!found.has(place)) found.set(place, `line ${place.slice(1)} (${section.kind} ${section.name})`);
  }
  if (found.size === 0) return [];
  const more = found.size > mostNamed ? ` and ${found.size - mostNamed} more` : '';
  return [
    `other requests are denied in ${[...found.values()].slice(0, mostNamed).join(', ')}${more}: HAProxy counts them as denied, and no entry covers them (“not attributed”, docs/insight.md)`,
  ];
}

/**
 * The rules by which HAProxy denies requests that no entry of the blocked map covers, each once. A backend's count for
 * the front end too. A rule whose condition the text does not prove is left out.
 */
export function otherDenials(section: ProxySection, maps: Maps): Rule[] {
  const rules = rulesInOrder(section).filter(
    (rule) =>
      (rule.phase === 'http' || rule.phase === 'content') &&
      countedAsDenied.has(rule.action) &&
      isRun(rule, section.mode) &&
      !mayDeny(rule, maps),
  );
  return rules.filter((rule, index) => rules.findIndex(({ place }) => place === rule.place) === index);
}
