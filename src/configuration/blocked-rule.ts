import { type ConfigLine, configLines } from './config-lines.ts';

export interface BlockedRuleFinding {
  /** Lines (from 1) of the rules that enforce the blocked map. Empty: the configuration must be refused. */
  readonly lines: readonly number[];
  /** Each of these rules has the exception for trusted addresses; null: there is no rule. */
  readonly sparesTrusted: boolean | null;
  /** What an operator should know although the configuration is accepted. */
  readonly warnings: readonly string[];
}

/** What a reader is told when the rule is missing. */
export function acceptedRule(blockedMap: string, trustedMap: string): string {
  return `http-request deny deny_status 403 if { src,map_ip(${blockedMap},0) -m int gt 0 } !{ src,map_ip(${trustedMap},0) -m int gt 0 }`;
}

/**
 * Finds the rules that deny what the blocked map holds (specification, "What the service does" 2).
 *
 * What counts: in a `frontend` or `listen` section, outside `.if`, an `http-request deny` (status 403, which is its
 * default) or a `tcp-request connection|session|content reject`, whose condition has an alternative that is the lookup
 * `src,map_ip(<blocked map>,0) -m int gt 0`, written out or as a named acl of that section, and beside it nothing but
 * the exception for trusted addresses. Any other term would narrow the rule, and a blocked client would get through.
 */
export function findBlockedRule(text: string, blockedMap: string, trustedMap: string): BlockedRuleFinding {
  const isBlockedLookup = lookupOf(blockedMap);
  const isTrustedLookup = lookupOf(trustedMap);
  const lines: number[] = [];
  const warnings: string[] = [];
  let acls = noAcls();
  let here = '';
  let covered = false;
  let bound = false;
  let earlyExit = 0;
  let sparesTrusted = true;

  const leaveSection = () => {
    if (here === '' || !bound) return;
    if (!covered) warnings.push(`${here} has no rule for the blocked map: blocked addresses are served there`);
    else if (earlyExit > 0) {
      warnings.push(`${here} answers some requests in line ${earlyExit}, before the rule for the blocked map`);
    }
  };

  for (const line of configLines(text)) {
    const section =
      line.section === 'frontend' || line.section === 'listen' ? `${line.section} ${line.sectionName}` : '';
    if (section !== here) {
      leaveSection();
      here = section;
      acls = noAcls();
      covered = false;
      bound = false;
      earlyExit = 0;
    }
    if (here === '' || line.conditional) continue;
    if (line.words[0] === 'bind') bound = true;
    if (line.words[0] === 'acl') noteAcl(line, isBlockedLookup, isTrustedLookup, acls);
    else if (isEarlyExit(line) && !covered && earlyExit === 0) earlyExit = line.number;
    else if (isDenial(line)) {
      // What each enforcing alternative has beside the lookup: nothing but the exception.
      const besides = alternatives(line.words).flatMap((terms) => {
        const rest = terms.filter((term) => !isPositive(term, isBlockedLookup, acls.blocked));
        const enforces =
          rest.length < terms.length && rest.every((term) => isNegative(term, isTrustedLookup, acls.trusted));
        return enforces ? [rest] : [];
      });
      if (besides.length > 0) {
        covered = true;
        lines.push(line.number);
        if (besides.some((rest) => rest.length === 0)) sparesTrusted = false;
      }
    }
  }
  leaveSection();
  return { lines, sparesTrusted: lines.length === 0 ? null : sparesTrusted, warnings };
}

type IsLookup = (words: readonly string[]) => boolean;

/** By name: whether the acl can stand for the lookup. */
interface NamedAcls {
  readonly blocked: Map<string, boolean>;
  readonly trusted: Map<string, boolean>;
}

const noAcls = (): NamedAcls => ({ blocked: new Map(), trusted: new Map() });

function lookupOf(map: string): IsLookup {
  const converters = [`src,map_ip(${map},0)`, `src,map_ip_int(${map},0)`];
  return (words) => {
    const [fetch, ...match] = words;
    if (fetch === undefined || !converters.includes(fetch)) return false;
    return ['-m int gt 0', '-m int ge 1'].includes(match.join(' '));
  };
}

function noteAcl(line: ConfigLine, isBlocked: IsLookup, isTrusted: IsLookup, acls: NamedAcls) {
  const [, name, ...lookup] = line.words;
  if (name === undefined) return;
  // Lines with the same name are alternatives of one acl. One that holds more than the lookup denies more, which is
  // fine for the blocked set; but it excuses more too, which is not fine for the trusted one.
  if (isBlocked(lookup)) acls.blocked.set(name, true);
  acls.trusted.set(name, isTrusted(lookup) && acls.trusted.get(name) !== false);
}

function isEarlyExit({ words }: ConfigLine): boolean {
  return words[0] === 'http-request' && ['allow', 'return', 'redirect', 'use-service', 'auth'].includes(words[1] ?? '');
}

function isDenial({ words }: ConfigLine): boolean {
  if (words[0] === 'tcp-request') {
    return ['connection', 'session', 'content'].includes(words[1] ?? '') && words[2] === 'reject';
  }
  if (words[0] !== 'http-request' || words[1] !== 'deny') return false;
  const status = words.indexOf('deny_status');
  return status < 0 || words[status + 1] === '403';
}

/** The condition after `if`: alternatives (`or`, `||`) of terms; a term keeps its braces and its `!`. */
function alternatives(words: readonly string[]): string[][][] {
  const start = words.indexOf('if');
  if (start < 0) return [];
  const result: string[][][] = [];
  let terms: string[][] = [];
  let anonymous: string[] | null = null;
  let negated = false;
  for (const word of words.slice(start + 1)) {
    if (anonymous !== null) {
      anonymous.push(word);
      if (word === '}') {
        terms.push(anonymous);
        anonymous = null;
      }
    } else if (word === 'or' || word === '||') {
      result.push(terms);
      terms = [];
    } else if (word === '!') {
      negated = !negated;
    } else {
      const sign = negated ? '!' : '';
      negated = false;
      if (word === '{' || word === '!{') anonymous = [sign + word];
      else terms.push([sign + word]);
    }
  }
  if (anonymous !== null) return []; // a brace that never closes: the proxy refuses the line
  result.push(terms);
  return result;
}

function isPositive(term: readonly string[], isLookup: IsLookup, acls: ReadonlyMap<string, boolean>): boolean {
  const [first = ''] = term;
  return first === '{' ? isLookup(term.slice(1, -1)) : acls.get(first) === true;
}

function isNegative(term: readonly string[], isLookup: IsLookup, acls: ReadonlyMap<string, boolean>): boolean {
  const [first = ''] = term;
  if (first === '!{') return isLookup(term.slice(1, -1));
  return /^![^!]/.test(first) && acls.get(first.slice(1)) === true;
}
