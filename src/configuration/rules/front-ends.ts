// How a configuration that others write uses the maps.
import { unnamedTable } from '../template/client-address-rules.ts';
import { configLines } from './config-lines.ts';
import {
  type ConfigurationFile,
  type ProxySection,
  proxySections,
  type SectionLine,
  settingsOf,
} from './proxy-sections.ts';
import { type Acls, aclsOf, lookupIn, type Maps, parseCondition } from './rule-conditions.ts';
import { ruleOf } from './rules.ts';
import { findRule, type SectionFinding } from './section-rules.ts';
import { type UpstreamUse, upstreamUse } from './upstream-use.ts';

/** A `frontend` or `listen` section that clients can reach. */
export interface FrontEnd extends SectionFinding {
  readonly name: string;
  readonly kind: 'frontend' | 'listen';
  /** `FILE:LINE`. */
  readonly place: string;
  /** `http`, `tcp`, another one, or `unknown` if it depends on an `.if` or on the environment of HAProxy. */
  readonly mode: string;
  /** With their options; at least one. */
  readonly bindLines: readonly string[];
  readonly upstreamUse: UpstreamUse;
}

/** A rule that denies the addresses of another list than the blocked map. */
export interface OldRule {
  /** As written in the rule. */
  readonly file: string;
  /**
   * Which lines it denies: all of them (`keys`); those with a value above 0 (`values`); or unknown, as the condition
   * has more terms (`some`).
   */
  readonly denies: 'keys' | 'values' | 'some';
  readonly place: string;
}

/** For files in the order in which HAProxy reads them. Omits front ends without `bind` and disabled ones. */
export function frontEndsOf(files: readonly ConfigurationFile[], maps: Maps): FrontEnd[] {
  return proxySections(files).flatMap((section) => {
    const { kind, name, place, mode } = section;
    if (kind !== 'frontend' && kind !== 'listen') return [];
    const bindLines = bindLinesOf(section);
    if (bindLines.length === 0 || isDisabled(section)) return [];
    const use = upstreamUse(section, maps);
    return [{ name, kind, place, mode, bindLines, upstreamUse: use, ...findRule(section, maps) }];
  });
}

/** What is missing in a front end without the rule; to follow "has". */
export function missingRuleText(answersBefore: string | null): string {
  const lack = 'no rule for the blocked map';
  return answersBefore === null ? lack : `${lack} that counts: ${answersBefore} comes before it`;
}

export function bindLinesOf({ lines }: ProxySection): string[] {
  return lines.flatMap(({ words }) => (words[0] === 'bind' ? [words.join(' ')] : []));
}

export function isDisabled(section: ProxySection): boolean {
  const last = settingsOf(section, 'disabled', 'enabled').at(-1);
  return last?.words[0] === 'disabled' && !last.conditional;
}

/** The files named in `map…` converters: HAProxy loads no other map. */
export function mapsNamedIn(files: readonly ConfigurationFile[]): string[] {
  const named = new Set<string>();
  for (const { text } of files) {
    for (const { words } of configLines(text)) {
      for (const word of words) {
        for (const [, file = ''] of word.matchAll(/\bmap(?:_[a-z0-9]+)*\(([^,()]+)/g)) named.add(unquoted(file));
      }
    }
  }
  return [...named];
}

/** The numbers of the stick counters that rules of any section use; not of the rules that count for upstreams. */
export function stickCountersIn(files: readonly ConfigurationFile[]): ReadonlySet<number> {
  const lines = proxySections(files).flatMap((section) => section.lines);
  const used = lines.flatMap(({ words }) => {
    const [, counter] = /^(?:\S+ ){1,2}track-sc(\d+) /.exec(words.join(' ')) ?? [];
    return counter === undefined || words.includes(unnamedTable) ? [] : [Number(counter)];
  });
  return new Set(used);
}

/**
 * The rules that deny by another list of addresses, in any proxy section: `src,map_ip(FILE) -m found`, `src -f FILE`.
 */
export function oldRulesIn(files: readonly ConfigurationFile[], maps: Maps): OldRule[] {
  const ours = [maps.blockedMap, maps.trustedMap];
  return proxySections(files).flatMap(({ lines }) => {
    const acls = aclsOf(lines);
    return lines.flatMap((line) => deniedLists(line, acls).filter(({ file }) => !ours.includes(file)));
  });
}

function deniedLists(line: SectionLine, acls: Acls): OldRule[] {
  const rule = ruleOf(line, acls);
  if (rule?.effect !== 'denies' || rule.condition === 'unknown') return [];
  const [keyword, ...condition] = rule.condition;
  if (keyword === undefined) return [];
  return (parseCondition(condition) ?? []).flatMap((terms) =>
    terms
      .filter(({ negated }) => negated === (keyword === 'unless'))
      .flatMap(({ expression, acl = '' }) => (expression ? [expression] : (acls.get(acl) ?? [])))
      .flatMap((expression) => {
        const list = expression === 'unknown' ? null : listIn(expression);
        if (list === null) return [];
        const isWhole = keyword === 'if' && terms.length === 1;
        return [{ ...list, ...(isWhole ? {} : { denies: 'some' as const }), place: rule.place }];
      }),
  );
}

function listIn(expression: readonly string[]): Pick<OldRule, 'file' | 'denies'> | null {
  const [fetch = '', ...match] = expression;
  const map = /^src,map_ip(?:_\w+)?\(([^,()]+)/.exec(fetch)?.[1];
  if (map !== undefined) {
    const lookup = lookupIn(expression);
    return { file: unquoted(map), denies: lookup === null ? 'some' : lookup.presence ? 'keys' : 'values' };
  }
  const [flag, file] = match;
  if (fetch !== 'src' || !match.includes('-f')) return null;
  const named = match[match.indexOf('-f') + 1];
  if (named === undefined) return null;
  return { file: named, denies: flag === '-f' && file === named && match.length === 2 ? 'keys' : 'some' };
}

function unquoted(file: string): string {
  return file.replace(/^(["'])(.*)\1$/, '$2');
}
