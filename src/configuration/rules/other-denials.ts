import type { ProxySection } from './proxy-sections.ts';
import type { Maps } from './rule-conditions.ts';
import type { Rule } from './rules.ts';
import { isRun, mayDeny, rulesInOrder } from './section-rules.ts';

/** Rules of these count in HAProxy's number of denied requests (`dreq`), whatever their status; not of connections. */
const countedAsDenied: ReadonlySet<string> = new Set(['deny', 'reject', 'silent-drop', 'tarpit']);

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
