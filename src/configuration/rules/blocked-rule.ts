import { bindLinesOf } from './front-ends.ts';
import { type ProxySection, proxySections } from './proxy-sections.ts';
import type { Maps } from './rule-conditions.ts';
import { type EnforcingRule, enforcingRules, findRule, type UpstreamGap, upstreamGap } from './section-rules.ts';

interface BlockedRuleFinding {
  /** Lines (from 1) of the rules that enforce the blocked map. Empty: the configuration must be refused. */
  readonly lines: readonly number[];
  /** Whether each rule has the exception for trusted addresses; null: there is no rule. */
  readonly sparesTrusted: boolean | null;
  /** For an accepted configuration. */
  readonly warnings: readonly string[];
}

/** Shown if the rule is missing. */
export function acceptedRule(blockedMap: string, trustedMap: string): string {
  return `http-request deny deny_status 403 if { src,map_ip(${blockedMap},0) -m int gt 0 } !{ src,map_ip(${trustedMap},0) -m int gt 0 }`;
}

/**
 * Finds the rules that deny the entries of the blocked map (specification, "What the service does" 2) in a
 * configuration that the service deploys.
 *
 * As `findRule`, but stricter: only an `http-request deny` or a `tcp-request … reject`, only by the value in the map,
 * whatever the mode and the rules before it.
 */
export function findBlockedRule(text: string, paths: Omit<Maps, 'valuesOnly'>): BlockedRuleFinding {
  const maps = { ...paths, valuesOnly: true };
  const sections = proxySections([{ path: '', text }]).filter(({ kind }) => kind === 'frontend' || kind === 'listen');
  const found = sections.map((section) => ({ section, rules: enforcingRules(section, maps).filter(isAccepted) }));
  const rules = found.flatMap((one) => one.rules);
  return {
    lines: [...new Set(rules.map(({ rule }) => lineOf(rule.place)))],
    sparesTrusted: rules.length === 0 ? null : rules.every((rule) => rule.sparesTrusted),
    warnings: found.flatMap((one) => warningsOf(one.section, one.rules, maps)),
  };
}

/**
 * The front ends with HTTP that could not judge the clients of upstreams, and what they lack (ADR 0061). A rendered
 * front end without the rule for the blocked map is one too.
 */
export function upstreamGapsInText(text: string, paths: Omit<Maps, 'valuesOnly'>): UpstreamGap[] {
  const maps = { ...paths, valuesOnly: true };
  return proxySections([{ path: '', text }]).flatMap((section) => {
    const { kind, mode } = section;
    if ((kind !== 'frontend' && kind !== 'listen') || mode !== 'http' || bindLinesOf(section).length === 0) return [];
    return upstreamGap(section, maps) ?? [];
  });
}

interface ProxyProtocolNeed {
  readonly proxyProtocolMap: string;
  /** Whether an upstream uses it. */
  readonly needsProxyProtocol: boolean;
}

/** Each as a sentence. */
export function gapTexts(gaps: readonly UpstreamGap[], need: ProxyProtocolNeed): string[] {
  return gaps.flatMap((gap) => {
    const lacks = gapText(gap, need);
    return lacks === null ? [] : [`${gap.frontEnd} ${lacks}`];
  });
}

function gapText(
  { lacks, lacksProxyProtocol, ownSource }: UpstreamGap,
  { proxyProtocolMap, needsProxyProtocol }: ProxyProtocolNeed,
): string | null {
  const expects = `tcp-request connection expect-proxy layer4 if { src,map_ip_int(${proxyProtocolMap},0) -m int gt 0 }`;
  const all = [...lacks, ...(needsProxyProtocol && lacksProxyProtocol ? [expects] : [])];
  if (all.length === 0) return null;
  const own = ownSource === null ? '' : `; its own rule for the client's address (${ownSource}) ${whatOwnSourceMisses}`;
  return `lacks ${all.join(', and ')}${own}`;
}

/** To follow a rule that replaces the address. */
export const whatOwnSourceMisses =
  'leaves the address of the proxy in front if the header is missing or cannot be read, and believes any peer that its condition does not exclude';

function isAccepted({ rule: { phase, action } }: EnforcingRule): boolean {
  return action === (phase === 'http' ? 'deny' : 'reject');
}

function warningsOf(section: ProxySection, rules: readonly EnforcingRule[], maps: Maps): string[] {
  if (bindLinesOf(section).length === 0) return [];
  const here = `${section.kind} ${section.name}`;
  if (rules.length === 0) return [`${here} has no rule for the blocked map: blocked addresses are served there`];
  const { answersBefore, sourceSetAt } = findRule({ ...section, mode: 'http' }, maps);
  if (answersBefore === null) return [];
  if (answersBefore === sourceSetAt)
    return [
      `${here} sets the client's address in line ${lineOf(sourceSetAt)}: the rule for the blocked map checks that address, and such a rule ${whatOwnSourceMisses} (docs/upstreams.md)`,
    ];
  return [`${here} answers some requests in line ${lineOf(answersBefore)}, before the rule for the blocked map`];
}

/** Of a place in an unnamed file, `:LINE`. */
function lineOf(place: string): number {
  return Number(place.slice(1));
}
