// Evaluates the condition of a rule for an address, given which of the two maps contain it.
import { upstreamModes } from '../../domain/upstream-modes.ts';
import { type SectionLine, unknown } from './proxy-sections.ts';

export type Truth = boolean | typeof unknown;

export interface Maps {
  readonly blockedMap: string;
  readonly trustedMap: string;
  /** Absent: no rule may make an exception for upstreams. */
  readonly upstreamsMap?: string;
  readonly proxyProtocolMap?: string;
  /**
   * Entries with the value 0 are exceptions, so a match that includes them (`-m found`) does not count. Default: it
   * counts.
   */
  readonly valuesOnly?: boolean;
}

/** What is known of a request's source; unknown once a rule has replaced the address. */
export interface Source {
  readonly blocked: Truth;
  readonly trusted: Truth;
  /** Whether the address is in the network of an upstream, and of one that speaks the PROXY protocol. */
  readonly inUpstream: Truth;
  /** What `txn.pm_upstream` holds: 0, or the mode of an upstream, whichever it is. */
  readonly upstream: 'none' | 'any' | typeof unknown;
  /** Expressions of which it is known whether they have a value. */
  readonly found?: ReadonlyMap<string, boolean>;
}

/** Holds the mode of the upstream that sent a request, and 0 for any other client. */
export const upstreamVariable = 'txn.pm_upstream';

/** Expressions by the name of their acl. Lines with the same name are alternatives of one acl. */
export type Acls = ReadonlyMap<string, readonly (readonly string[] | typeof unknown)[]>;

interface Term {
  readonly negated: boolean;
  /** An anonymous acl, between braces. */
  readonly expression?: readonly string[];
  readonly acl?: string;
}

/** Predefined names: an acl line with such a name adds to its meaning. */
const predefinedAcl = /^(TRUE|FALSE|LOCALHOST|HTTP(_.*)?|METH_.*|RDP_COOKIE|REQ_CONTENT|WAIT_END)$/;

/** Acls of the defaults section are visible only there. */
export function aclsOf(lines: readonly SectionLine[]): Acls {
  const acls = new Map<string, (readonly string[] | typeof unknown)[]>();
  for (const { words, certainWords, conditional } of lines) {
    const [keyword, name, ...expression] = words;
    if (keyword !== 'acl' || name === undefined) continue;
    if (!acls.has(name)) acls.set(name, predefinedAcl.test(name) ? [unknown] : []);
    acls.get(name)?.push(conditional || certainWords < words.length ? unknown : expression);
  }
  // An acl with a name from the environment may be any of them.
  const isNameless = lines.some(({ words, certainWords }) => words[0] === 'acl' && certainWords === 1);
  if (isNameless) for (const expressions of acls.values()) expressions.push(unknown);
  return acls;
}

/**
 * `words`: from `if` or `unless` on, or none. Known only if it follows from the source, whatever else the request
 * contains.
 */
export function conditionHolds(words: readonly string[], acls: Acls, maps: Maps, source: Source): Truth {
  if (words.length === 0) return true;
  const alternatives = parseCondition(words.slice(1));
  if (alternatives === null || alternatives.length === 0) return unknown;
  const truth = anyOf(alternatives.map((terms) => allOf(terms.map((term) => termHolds(term, acls, maps, source)))));
  return words[0] === 'unless' ? not(truth) : truth;
}

function termHolds({ negated, expression, acl }: Term, acls: Acls, maps: Maps, source: Source): Truth {
  const expressions = expression === undefined ? (acls.get(acl ?? '') ?? [unknown]) : [expression];
  const truth = anyOf(expressions.map((one) => (one === unknown ? unknown : expressionHolds(one, maps, source))));
  return negated ? not(truth) : truth;
}

function expressionHolds(expression: readonly string[], maps: Maps, source: Source): Truth {
  const [fetch = '', ...match] = expression;
  const isFound = match.join(' ') === '-m found' ? source.found?.get(fetch) : undefined;
  if (isFound !== undefined) return isFound;
  if (fetch === `var(${upstreamVariable})`) return modesMatch(source.upstream, match);
  if (source.inUpstream === true) {
    if (fetch === `src,map_ip_int(${maps.upstreamsMap},0)`) return modesMatch('any', match);
    if (lookupIn(expression)?.map === maps.proxyProtocolMap) return true;
  }
  const lookup = lookupIn(expression);
  if (lookup === null || (lookup.presence && maps.valuesOnly === true)) return unknown;
  if (lookup.map === maps.blockedMap) return source.blocked;
  return lookup.map === maps.trustedMap ? source.trusted : unknown;
}

/** Whether the value is one of the integers or ranges, such as `-m int 1 21`, `-m int 1:2` or `-m int gt 0`. */
function modesMatch(held: Source['upstream'], [flag, type, ...patterns]: readonly string[]): Truth {
  if (held === unknown || flag !== '-m' || type !== 'int' || patterns.length === 0) return unknown;
  const [operator = '', ...numbers] = /^[a-z]/.test(patterns[0] ?? '') ? patterns : ['eq', ...patterns];
  const compare = comparisons[operator];
  if (compare === undefined || !numbers.every((one) => /^\d{1,9}(:\d{1,9})?$/.test(one))) return unknown;
  const ranges = numbers.map((one) => one.split(':').map(Number));
  const matches = (held === 'none' ? [0] : upstreamModes).map((value) =>
    ranges.some(([low = 0, high = low]) => compare(value, low, high)),
  );
  if (matches.every((one) => one)) return true;
  return matches.some((one) => one) ? unknown : false;
}

const comparisons: Readonly<Record<string, (value: number, low: number, high: number) => boolean>> = {
  eq: (value, low, high) => low <= value && value <= high,
  gt: (value, low) => value > low,
  ge: (value, low) => value >= low,
};

interface Lookup {
  readonly map: string;
  /** Matches entries with the value 0 too. */
  readonly presence: boolean;
}

/**
 * `src,map_ip(MAP,0) -m int gt 0` and equivalents, and `src,map_ip(MAP) -m found`. Null if HAProxy would have to
 * unquote the name of the map.
 */
export function lookupIn([fetch = '', ...match]: readonly string[]): Lookup | null {
  const found = /^src,map_ip(_int)?\(([^,()'"\\\s]+)(,0)?\)$/.exec(fetch);
  const [, isInt, map, byDefault] = found ?? [];
  if (map === undefined) return null;
  const wanted = match.join(' ');
  if (wanted === '-m found') return byDefault === undefined ? { map, presence: true } : null;
  const values = ['-m int gt 0', '-m int ge 1', ...(isInt === undefined ? [] : ['gt 0', 'ge 1'])];
  return values.includes(wanted) ? { map, presence: false } : null;
}

/** Alternatives (`or`, `||`) of terms, like HAProxy's `parse_acl_cond`. Null: HAProxy refuses it. */
export function parseCondition(words: readonly string[]): Term[][] | null {
  const alternatives: Term[][] = [];
  let terms: Term[] = [];
  let negated = false;
  for (let index = 0; index < words.length; index++) {
    const marks = /^!*/.exec(words[index] ?? '')?.[0].length ?? 0;
    const word = (words[index] ?? '').slice(marks);
    if (marks % 2 === 1) negated = !negated;
    if (word === '') continue;
    if (word.toLowerCase() === 'or' || word === '||') {
      if (terms.length > 0) alternatives.push(terms);
      terms = [];
    } else if (word === '{') {
      const end = words.indexOf('}', index);
      if (end < 0) return null;
      terms.push({ negated, expression: words.slice(index + 1, end) });
      index = end;
    } else {
      terms.push({ negated, acl: word });
    }
    negated = false;
  }
  if (terms.length > 0) alternatives.push(terms);
  return alternatives;
}

function not(truth: Truth): Truth {
  return truth === unknown ? unknown : !truth;
}

function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(unknown) ? unknown : true;
}

function anyOf(truths: readonly Truth[]): Truth {
  if (truths.includes(true)) return true;
  return truths.includes(unknown) ? unknown : false;
}
