import { type ProxySection, type SectionLine, settingsOf, unknown } from './proxy-sections.ts';
import { aclsOf, conditionHolds, type Maps, type Source, type Truth, upstreamVariable } from './rule-conditions.ts';
import { type Phase, phases, type Rule, ruleOf } from './rules.ts';

export interface SectionFinding {
  /** Every request of a blocked address that is not trusted is denied, unless `answersBefore` names an exception. */
  readonly hasRule: boolean;
  /** Null: there is no rule. */
  readonly sparesTrusted: boolean | null;
  /**
   * The first rule or setting that answers requests before the rule, or lets them skip it. If there is a rule and
   * `hasRule` is false, this is the cause. Null: nothing, or no rule at all.
   */
  readonly answersBefore: string | null;
  /** Where `http-request set-src` or similar replaces `src`, even behind the rule. */
  readonly sourceSetAt: string | null;
}

/** A rule that denies blocked addresses wherever it is reached. */
export interface EnforcingRule {
  readonly rule: Rule;
  readonly sparesTrusted: boolean;
}

/** Not in the network of an upstream; the variable that says so is not set yet. */
const blockedSource: Source = { blocked: true, trusted: false, inUpstream: false, upstream: unknown };
const trustedSource: Source = { ...blockedSource, trusted: true };
const unknownSource: Source = { ...blockedSource, blocked: unknown, trusted: unknown };

/**
 * How a frontend or listen section uses the blocked map, as far as its text alone proves it.
 *
 * What counts as the rule: an `http-request deny` with 403, `tarpit`, `reject` or `silent-drop`, or a `tcp-request
 * connection|session|content reject` or `silent-drop`, also an inherited one, outside `.if`, whose condition holds for
 * every entry of the blocked map that is not in the trusted map, and which no rule before it prevents from being
 * reached. In a mode other than `http` HAProxy ignores http-request rules, so they do not count.
 *
 * A rule behind a `set-src` checks another address than that of the connection, and does not count, unless the
 * `set-src` is only for upstreams. An exception for upstreams is allowed where their map is looked up before (ADR 0061).
 * A rule of connections does not apply to connections that were open before their source was blocked.
 */
export function findRule(section: ProxySection, maps: Maps): SectionFinding {
  const none = { hasRule: false, sparesTrusted: null, answersBefore: null, sourceSetAt: null };
  // Unknown defaults, or a line of an unknown kind, may let all clients pass.
  if (section.defaults === unknown || [...inheritedLines(section), ...section.lines].some(isOpaque)) return none;
  const { mode } = section;
  if (!enforcingRules(section, maps).some(({ rule }) => isRun(rule, mode))) return none;
  const { denied, answersBefore } = follow(section, maps, blockedSource);
  const sourceSetAt = ownSourceSet(rulesInOrder(section), maps)?.place ?? null;
  if (!denied) return { ...none, answersBefore, sourceSetAt };
  const sparesTrusted = !follow(section, maps, trustedSource).denied;
  return { hasRule: true, sparesTrusted, answersBefore, sourceSetAt };
}

/** The rules that deny every blocked address that reaches them, whatever the mode and the rules before them. */
export function enforcingRules(section: ProxySection, maps: Maps): EnforcingRule[] {
  const blocked = new PassingSource(maps, blockedSource);
  const trusted = new PassingSource(maps, trustedSource);
  return rulesInOrder(section).flatMap((rule) => {
    const denied = acts(rule, maps, blocked.pass(rule));
    const sparesTrusted = acts(rule, maps, trusted.pass(rule)) !== true;
    if (rule.effect !== 'denies' || denied !== true) return [];
    // A rule that denies all clients does not enforce the map: HAProxy loads only maps that a rule names.
    if (acts(rule, maps, unknownSource) === true) return [];
    return [{ rule, sparesTrusted }];
  });
}

/** The first one that replaces the address of clients that are no upstreams too. */
export function ownSourceSet(rules: readonly Rule[], maps: Maps): Rule | undefined {
  const at = rules.findIndex((rule) => isLookup(rule, maps));
  return rules.find((rule, index) => isSourceSet(rule) && !(at >= 0 && index > at && isForUpstreams(rule, maps)));
}

/** Does not apply to other clients. */
export function isForUpstreams(rule: Rule, maps: Maps): boolean {
  return acts(rule, maps, { ...blockedSource, upstream: 'none' }) === false;
}

/** The lookup of the mode, which every request passes. */
export function isLookup({ phase, conditional, condition, words }: Rule, { upstreamsMap }: Maps): boolean {
  const [action, expression = ''] = words;
  if (upstreamsMap === undefined || phase !== 'http' || conditional || condition === unknown) return false;
  if (words.length !== 2 || action !== `set-var(${upstreamVariable})`) return false;
  return expression.replace(/,set-var\([\w.]+\)$/, '') === `src,map_ip_int(${upstreamsMap},0)`;
}

/** What is known of a source at each rule, in the order of the rules. */
class PassingSource {
  readonly #maps: Maps;
  #source: Source;

  constructor(maps: Maps, source: Source) {
    this.#maps = maps;
    this.#source = source;
  }

  /** The source at this rule. */
  pass(rule: Rule): Source {
    const source = this.#source;
    this.#source = { ...source, upstream: upstreamAfter(rule, this.#maps, source) };
    return source;
  }
}

/** What `txn.pm_upstream` holds behind a rule. */
export function upstreamAfter(rule: Rule, maps: Maps, source: Source): Source['upstream'] {
  const { action, condition, words, acls } = rule;
  // A converter in a condition may set it, whether the condition holds or not.
  const setInAcl = [...acls.values()].flat().some((one) => one !== unknown && setsUpstream.test(one.join(' ')));
  if (setInAcl || action.startsWith('lua.')) return unknown;
  const isSet = setsUpstream.test(words.join(' ')) || (/^(un)?set-var/.test(action) && condition === unknown);
  if (!isSet) return source.upstream;
  if (isLookup(rule, maps)) return source.inUpstream === unknown ? unknown : source.inUpstream ? 'any' : 'none';
  const isSure = condition !== unknown && !setsUpstream.test(words.slice(1).join(' '));
  const holds = isSure ? acts(rule, maps, source) : unknown;
  if (holds === false) return source.upstream;
  const isReset = isSure && action === 'set-var' && words[1] === 'int(0)';
  return isReset && (holds === true || source.upstream === 'none') ? 'none' : unknown;
}

/** As an action or a converter, whose argument HAProxy reads without its quotes; Lua may set any variable. */
const setsUpstream = new RegExp(
  `(set-var|set-var-fmt|do-resolve)\\([\\s"'\\\\]*${upstreamVariable.replace('.', '\\.')}\\b|\\blua\\.`,
);

export function rulesInOrder(section: ProxySection): Rule[] {
  const rules = rulesOf(section);
  return phases.flatMap((phase) => rules.filter((rule) => rule.phase === phase));
}

/**
 * The rules of the defaults section come first. HAProxy 2.6 runs inherited connection and session rules only if the
 * section has one of its own.
 */
function rulesOf(section: ProxySection): Rule[] {
  const inherited = rulesIn(inheritedLines(section));
  const own = rulesIn(section.lines);
  const surelyRun = new Set<Phase>(['content', 'http']);
  for (const rule of own) if (!rule.conditional) surelyRun.add(rule.phase);
  return [...inherited.map((rule) => (surelyRun.has(rule.phase) ? rule : { ...rule, conditional: true })), ...own];
}

export function inheritedLines({ defaults }: ProxySection): readonly SectionLine[] {
  return defaults === null || defaults === unknown ? [] : defaults.lines;
}

/** The environment may turn the line into any rule or setting. */
export function isOpaque({ words, certainWords }: SectionLine): boolean {
  return certainWords === 0 || (certainWords === 1 && words[0] === 'tcp-request');
}

function rulesIn(lines: readonly SectionLine[]): Rule[] {
  const acls = aclsOf(lines);
  return lines.flatMap((line) => ruleOf(line, acls) ?? []);
}

/** `http-request deny (FILE:LINE)`. */
export function ruleText({ phase, action, place }: Rule): string {
  return `${phase === 'http' ? 'http-request' : `tcp-request ${phase}`} ${action} (${placeText(place)})`;
}

/** `FILE:LINE`, or `line LINE` of an unnamed file. */
export function placeText(place: string): string {
  return place.replace(/^:/, 'line ');
}

/** Whether it is a rule that denies by the blocked map, under whatever further conditions. */
export function mayDeny({ action, effect, condition, acls }: Rule, { blockedMap }: Maps): boolean {
  // The environment may change its status too.
  if (condition === unknown) return effect === 'denies' || action === 'deny' || action === 'tarpit';
  if (effect !== 'denies') return false;
  const expressions = condition.flatMap((word) => acls.get(word.replace(/^!+/, '')) ?? []);
  return [condition, ...expressions].some((one) => one === unknown || one.some((word) => word.includes(blockedMap)));
}

export function isSourceSet({ action, effect }: Rule): boolean {
  return action === 'set-src' && effect === 'anything';
}

export function isRun(rule: Rule, mode: string): boolean {
  return rule.phase !== 'http' || mode === 'http';
}

export function acts(rule: Rule, maps: Maps, source: Source): Truth {
  if (rule.condition === unknown) return unknown;
  const truth = conditionHolds(rule.condition, rule.acls, maps, source);
  return rule.conditional && truth === true ? unknown : truth;
}

interface Outcome {
  /** Whether all requests that reach the rule are denied, for certain. */
  readonly denied: boolean;
  readonly answersBefore: string | null;
}

interface Exit {
  readonly place: string;
  /** They skip the rest of this phase. Null: they are answered. */
  readonly phase: Phase | null;
}

/** Follows the requests of a source through the rules until their outcome is certain. */
function follow(section: ProxySection, maps: Maps, source: Source): Outcome {
  const { mode } = section;
  const rules = rulesOf(section).filter((rule) => isRun(rule, mode));
  const exits: Exit[] = [];
  const passing = new PassingSource(maps, source);
  let sourceChanged = false;
  for (const phase of phases) {
    exits.push(...answeringSettings(section, phase));
    const sourceHidden = phase === 'connection' && mayTakeSourceFromHeader(section);
    for (const rule of rules.filter((one) => one.phase === phase)) {
      const known = passing.pass(rule);
      const hidden = sourceChanged || sourceHidden;
      const holds = acts(rule, maps, hidden ? { ...unknownSource, upstream: known.upstream } : known);
      if (holds === false) continue;
      const { effect, place } = rule;
      if (effect === 'denies' && holds === true) return { denied: true, answersBefore: firstExit(exits, phase) };
      if (effect === 'anything') sourceChanged = true;
      if (effect === 'answers' || effect === 'anything') exits.push({ place, phase: null });
      if (effect === 'ends phase') exits.push({ place, phase });
      if (effect === 'answers' && holds === true) return { denied: false, answersBefore: firstExit(exits, phase) };
      if (effect === 'ends phase' && holds === true) break;
    }
  }
  return { denied: false, answersBefore: exits[0]?.place ?? null };
}

function firstExit(exits: readonly Exit[], phase: Phase): string | null {
  return exits.find((exit) => exit.phase === null || exit.phase === phase)?.place ?? null;
}

/** A Lua filter may answer once a stream begins; `monitor-uri` is answered before the http-request rules. */
function answeringSettings(section: ProxySection, phase: Phase): Exit[] {
  const lines =
    phase === 'content'
      ? settingsOf(section, 'filter').filter(
          ({ words, certainWords }) => certainWords < 2 || words[1]?.startsWith('lua.'),
        )
      : phase === 'http' && section.mode === 'http'
        ? settingsOf(section, 'monitor-uri')
        : [];
  return lines.map(({ place }) => ({ place, phase: null }));
}

const headerWords = new Set(['accept-proxy', 'accept-netscaler-cip', 'expect-proxy', 'expect-netscaler-cip']);

/**
 * Behind another proxy, a PROXY or NetScaler CIP header names the client. Connection rules run before it is read, so
 * they check that proxy's address.
 */
function mayTakeSourceFromHeader(section: ProxySection): boolean {
  return settingsOf(section, 'bind', 'tcp-request').some(
    ({ words, certainWords }) =>
      (words[0] === 'bind' && certainWords < words.length) || words.some((word) => headerWords.has(word)),
  );
}
