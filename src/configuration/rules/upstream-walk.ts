// Follows the requests of an upstream through the rules of a front end: those that name a client, whom the rule for the
// blocked map must check, and those that name none, which it must not deny.

import { upstreamHeaders } from '../../domain/upstream-modes.ts';
import { clientWalk } from '../template/client-address-rules.ts';
import { splitWords } from './config-lines.ts';
import { type ProxySection, unknown } from './proxy-sections.ts';
import { type Maps, type Source, type Truth, upstreamVariable } from './rule-conditions.ts';
import type { Rule } from './rules.ts';
import {
  acts,
  inheritedLines,
  isForUpstreams,
  isLookup,
  isSourceSet,
  mayDeny,
  ruleText,
  upstreamAfter,
} from './section-rules.ts';

export interface Finding {
  /** What is certainly missing, each to follow "lacks". */
  readonly lacks: readonly string[];
  /** Why it is not known whether the rules have their effect, each a clause. */
  readonly unsure: readonly string[];
}

export const lackingException = 'the exception for upstreams in the rule for the blocked map';

const lookupWords = ({ upstreamsMap }: Maps) => `set-var(${upstreamVariable}) src,map_ip_int(${upstreamsMap},0)`;
const resetWords = `set-var(${upstreamVariable}) int(0)`;
/** Its variable is not set yet. */
export const upstreamPeer: Source = { blocked: true, trusted: false, inUpstream: true, upstream: unknown };

/** The mode of the upstream that sends the request, perhaps only under a condition. */
export function isUpstreamLookup({ phase, words }: Rule, maps: Maps): boolean {
  return phase === 'http' && words.join(' ').startsWith(lookupWords(maps));
}

/** @param rules that HAProxy runs, in its order */
export function findingByHeader(section: ProxySection, rules: readonly Rule[], maps: Maps): Finding {
  const denial = rules.findLastIndex((rule) => rule.phase === 'http' && mayDeny(rule, maps));
  // What comes after it would name the client too late.
  const before = denial < 0 ? rules : rules.slice(0, denial + 1);
  const named = new NamedRequest(section, before, maps);
  const unnamed = denialsOfPeer(rules, maps);
  const lookups = rules.filter((rule) => isUpstreamLookup(rule, maps));
  return {
    lacks: [
      ...(lookups.length === 0 ? [`http-request ${lookupWords(maps)}`] : []),
      ...named.lacks,
      ...(unnamed.certain.length === 0 ? [] : [lackingException]),
    ],
    unsure: [
      ...(lookups.some((rule) => isLookup(rule, maps)) ? [] : lookups.map(mayNotApply)),
      ...named.unsure,
      ...unnamed.possible.map((rule) => `${ruleText(rule)} may deny the upstream itself`),
    ],
  };
}

/** Rules that deny an upstream inside a blocked network that names no client, such as its health checks. */
export function denialsOfPeer(rules: readonly Rule[], maps: Maps) {
  const certain: Rule[] = [];
  const possible: Rule[] = [];
  const names = rules.filter(isSourceSet).map((rule): [string, boolean] => [clientOf(rule), false]);
  let source: Source = { ...upstreamPeer, found: new Map(names) };
  for (const rule of rules) {
    const holds = mayDeny(rule, maps) && acts(rule, maps, source);
    if (holds === true) certain.push(rule);
    if (holds === unknown) possible.push(rule);
    source = { ...source, upstream: upstreamAfter(rule, maps, source) };
  }
  return { certain, possible };
}

/** A request in which an upstream names a blocked client. */
class NamedRequest {
  readonly unsure: string[] = [];
  readonly #section: ProxySection;
  readonly #maps: Maps;
  /** Of the built-in template. */
  readonly #walk: readonly string[];
  #source: Source = upstreamPeer;
  #isLookedUp = false;
  #isSet = false;
  #isReset = false;
  #isDenied = false;
  readonly #unset: string[] = [];
  /** The rules so far, and whether they applied. */
  readonly #passed = new Map<Rule, Truth>();

  constructor(section: ProxySection, rules: readonly Rule[], maps: Maps) {
    this.#section = section;
    this.#maps = maps;
    this.#walk = clientWalk(String(maps.upstreamsMap)).map((line) => splitWords(line).join(' '));
    for (const rule of rules) this.#pass(rule);
    if (!this.#isDenied) this.unsure.push('the rule for the blocked map may not apply to a client that was named');
  }

  get lacks(): string[] {
    const early = 'before the rule for the blocked map';
    return [
      ...(this.#isSet ? [] : [`an http-request set-src for the client that an upstream names, ${early}`]),
      ...this.#unset,
      ...(this.#isReset ? [] : [`http-request ${resetWords} for a client that was named, ${early}`]),
    ];
  }

  #pass(rule: Rule): void {
    const source = this.#source;
    if (this.#isSet && mayDeny(rule, this.#maps) && acts(rule, this.#maps, source) === true) this.#isDenied = true;
    if (isUpstreamLookup(rule, this.#maps)) this.#isLookedUp = true;
    if (!this.#isSet && this.#changesHeader(rule))
      this.unsure.push(`${ruleText(rule)} may change the header that names the client`);
    const words = rule.words.join(' ');
    const upstream = upstreamAfter(rule, this.#maps, source);
    if (this.#isLookedUp && upstream !== 'any' && words.startsWith(resetWords)) this.#isReset = true;
    if (upstream === unknown && source.upstream !== unknown) this.unsure.push(mayNotApply(rule));
    const { found, ...rest } = source;
    this.#source = { ...rest, upstream, ...(found === undefined || changesValues.test(words) ? {} : { found }) };
    if (isSourceSet(rule)) this.#setSource(rule);
    this.#passed.set(rule, acts(rule, this.#maps, source));
  }

  #changesHeader(rule: Rule): boolean {
    if (!upstreamHeaders.some((header) => changes(rule, header))) return false;
    const isOfWalk = this.#walk.includes(`http-request ${rule.words.join(' ')}`);
    return !isOfWalk && acts(rule, this.#maps, this.#source) !== false;
  }

  #setSource(rule: Rule): void {
    const found = new Map([[clientOf(rule), true]]);
    const holds = acts(rule, this.#maps, { ...this.#source, found });
    if (holds === false) return;
    this.#source = { ...this.#source, inUpstream: unknown, found };
    if (!this.#isLookedUp || !isForUpstreams(rule, this.#maps))
      this.unsure.push(`${ruleText(rule)} may replace the address of the upstream`);
    else {
      this.#isSet = true;
      if (holds === unknown) this.unsure.push(mayNotApply(rule));
      this.#checkValue(rule);
    }
  }

  /** A variable must have been set: by the walk of the built-in template, or by a rule for every upstream. */
  #checkValue(rule: Rule): void {
    const variable = /^var\(([\w.]+)\)$/.exec(clientOf(rule))?.[1];
    if (variable === undefined) return;
    const setting = [...this.#passed.keys()].filter((one) =>
      textsOf(one).some((text) => text.includes(`set-var(${variable})`)),
    );
    if (setting.length === 0) this.#unset.push(`a rule that sets ${variable}, which ${ruleText(rule)} reads`);
    else if (!this.#hasWalk(rule) && !setting.every(({ words }) => words[0] === `set-var(${variable})`))
      this.unsure.push(`the rules that set ${variable} differ from those of the built-in template`);
    else if (!this.#hasWalk(rule) && !setting.some((one) => this.#passed.get(one) === true))
      this.unsure.push(...setting.map(mayNotApply));
  }

  #hasWalk(before: Rule): boolean {
    const all = [...inheritedLines(this.#section), ...this.#section.lines];
    const lines = all.slice(
      0,
      all.findIndex(({ place }) => place === before.place),
    );
    let at = 0;
    return this.#walk.every((wanted) => {
      const found = lines.findIndex(
        ({ words, certainWords, conditional }, index) =>
          index >= at && !conditional && certainWords === words.length && words.join(' ') === wanted,
      );
      at = found + 1;
      return found >= 0;
    });
  }
}

/** Whether it may remove or replace this header, as far as its name tells. */
function changes({ action, words }: Rule, header: string): boolean {
  if (!/^(add|del|replace|set)-(header|value)/.test(action)) return false;
  const [, name = '', flag, method] = words;
  const wanted = name.toLowerCase();
  if (flag !== '-m' || action !== 'del-header') return wanted === header;
  if (method === 'beg') return header.startsWith(wanted);
  if (method === 'end') return header.endsWith(wanted);
  if (method === 'sub') return header.includes(wanted);
  if (method !== 'reg') return wanted === header;
  try {
    return new RegExp(name, 'i').test(header);
  } catch {
    // An expression that only HAProxy's library reads.
    return true;
  }
}

/** What may change whether an expression has a value. */
const changesValues = /set-var|do-resolve|header|replace-|lua/;

function clientOf({ words }: Rule): string {
  return words[1] ?? '';
}

/** Of the rule and of its acls. */
function textsOf({ words, condition, acls }: Rule): string[] {
  const used = condition === unknown ? [] : condition.flatMap((word) => acls.get(word.replace(/^!+/, '')) ?? []);
  return [words, ...used].map((one) => (one === unknown ? '' : one.join(' ')));
}

function mayNotApply(rule: Rule): string {
  return `${ruleText(rule)} may not apply to all of their requests`;
}
