import { bindLinesOf } from './front-ends.ts';
import { type ProxySection, proxySections } from './proxy-sections.ts';
import type { Maps } from './rule-conditions.ts';
import { type EnforcingRule, enforcingRules, findRule } from './section-rules.ts';
import { type UpstreamUse, upstreamUse, whatOwnSourceMisses } from './upstream-use.ts';

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

/** How each front end that binds an address puts the rules for upstreams to use (ADR 0061). */
export function upstreamUsesIn(text: string, paths: Omit<Maps, 'valuesOnly'>): UpstreamUse[] {
  const maps = { ...paths, valuesOnly: true };
  return proxySections([{ path: '', text }])
    .filter(({ kind }) => kind === 'frontend' || kind === 'listen')
    .filter((section) => bindLinesOf(section).length > 0)
    .map((section) => upstreamUse(section, maps));
}

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
