// Random front ends of every kind that the configuration reader must judge.
import fc from 'fast-check';
import { testSeed } from '../seed.ts';

export interface FrontEndCase {
  readonly kind: 'frontend' | 'listen';
  readonly mode: 'http' | 'tcp';
  readonly modeIsInherited: boolean;
  /** What makes HAProxy read the client's address from a PROXY header. */
  readonly behindProxy: 'no' | 'bind' | 'rule';
  /** Lines of its defaults section; its own follow. */
  readonly inherited: readonly string[];
  readonly own: readonly string[];
}

interface CaseFiles {
  readonly blockedMap: string;
  readonly trustedMap: string;
  readonly otherMap: string;
}

/** In the blocked map, and not trusted. */
export const blockedSources = ['127.0.0.2', '127.0.0.9'] as const;
export const trustedSource = '127.0.0.3';
export const otherSource = '127.0.0.4';
/** Conditions distinguish these: each source and each path escapes one that does not match all. */
export const paths = ['/', '/x', '/y'] as const;

const often = <T>(value: T, weight: number) => ({ arbitrary: fc.constant(value), weight });

/** The same cases in every run with one seed. */
export function frontEndCases(count: number, files: CaseFiles): FrontEndCase[] {
  return fc.sample(caseArbitrary(files), { numRuns: count, seed: testSeed });
}

function caseArbitrary(files: CaseFiles): fc.Arbitrary<FrontEndCase> {
  return fc
    .record({
      kind: fc.oneof(often('frontend' as const, 3), often('listen' as const, 1)),
      mode: fc.oneof(often('http' as const, 4), often('tcp' as const, 1)),
      modeIsInherited: fc.boolean(),
      behindProxy: fc.constantFrom('no', 'no', 'no', 'no', 'no', 'no', 'no', 'no', 'bind', 'rule'),
      rules: fc.oneof(
        { arbitrary: inherited(ruleArbitrary(files)), weight: 3 },
        { arbitrary: usualRules(files), weight: 1 },
      ),
    })
    .map(({ rules, ...rest }) => {
      // A listen section may not inherit rules.
      const isInherited = (inherits: boolean) => inherits && rest.kind === 'frontend';
      const linesOf = (inherited: boolean) =>
        rules.filter(([, inherits]) => isInherited(inherits) === inherited).flatMap(([lines]) => lines);
      return { ...rest, inherited: linesOf(true), own: linesOf(false) };
    });
}

/** Rules, each with whether it belongs to the defaults section. */
function inherited(rule: fc.Arbitrary<string[]>): fc.Arbitrary<[string[], boolean][]> {
  return fc.array(fc.tuple(rule, fc.oneof(often(false, 3), often(true, 1))), { minLength: 1, maxLength: 4 });
}

/** Operators' usual rules: one for the map, and others for a path or for all, perhaps before it. */
function usualRules({ blockedMap, trustedMap }: CaseFiles): fc.Arbitrary<[string[], boolean][]> {
  const condition = fc
    .tuple(fc.constantFrom(...lookups(blockedMap)), fc.constantFrom(...lookups(trustedMap)), fc.nat(4))
    .map(([blocked, trusted, form]) => {
      const forms = [
        `if { ${blocked} }`,
        `if { ${blocked} } !{ ${trusted} }`,
        `if !!{ ${blocked} } !!!{ ${trusted} }`,
        `if !!{ ${trusted} } !{ ${blocked} }`,
        `unless !{ ${blocked} } || { ${trusted} }`,
      ];
      return forms[form] ?? '';
    });
  const denial = fc
    .tuple(fc.constantFrom(...httpDenials, ...tcpDenials), condition)
    .map(([verb, words]) => [`${verb} ${words}`]);
  const others = fc.array(exitOnPath, { maxLength: 2 });
  return fc
    .tuple(others, denial, others)
    .map(([before, rule, behind]) => [...before, rule, ...behind].map((lines) => [lines, false]));
}

/** A rule with its acls. */
function ruleArbitrary(files: CaseFiles): fc.Arbitrary<string[]> {
  const condition = conditionArbitrary(files);
  const denial = fc.oneof(
    { arbitrary: fc.constantFrom(...httpDenials), weight: 6 },
    { arbitrary: fc.constantFrom(...tcpDenials), weight: 4 },
  );
  const denied = fc.tuple(denial, condition).map(([verb, words]) => linesOf(verb, words));
  const exit = fc.tuple(fc.constantFrom(...exits), condition).map(([verb, words]) => linesOf(verb, words));
  const plain = fc.oneof(
    { arbitrary: denied, weight: 10 },
    { arbitrary: exit, weight: 2 },
    { arbitrary: exitOnPath, weight: 2 },
  );
  const conditional = fc
    .tuple(plain, fc.constantFrom('.if defined(YES)', '.if defined(NO)'))
    .map(([lines, condition]) => [condition, ...lines, '.endif']);
  return fc.oneof({ arbitrary: plain, weight: 12 }, { arbitrary: conditional, weight: 1 });
}

function linesOf(verb: string, { acls, aclsBehind, words }: Condition): string[] {
  if (/^(monitor|stats)/.test(verb)) return [verb];
  const possible = verb.startsWith('tcp') ? withoutPaths(words) : words;
  return [...acls, `${verb} ${possible}`.trim(), ...aclsBehind];
}

/** Before there is a request, only sources can be distinguished. */
function withoutPaths(words: string): string {
  return words.replaceAll('{ path /x }', '{ src 127.0.0.2 }').replaceAll('{ path /y }', '{ src 127.0.0.9 }');
}

const httpDenials = [
  'http-request deny',
  'http-request deny',
  'http-request deny deny_status 403',
  'http-request deny status 403 content-type text/plain string if',
  'http-request deny deny_status 429',
  'http-request deny deny_status 200 content-type text/plain string hello',
  'http-request deny "deny_status" "$STATUS"',
  'http-request reject',
  'http-request tarpit',
  'http-request silent-drop',
] as const;

const tcpDenials = [
  'tcp-request connection reject',
  'tcp-request connection reject',
  'tcp-request connection silent-drop',
  'tcp-request session reject',
  'tcp-request content reject',
  'tcp-request content reject',
] as const;

const exits = [
  'http-request allow',
  'http-request return status 200',
  'http-request return status 400 content-type text/plain string no',
  'http-request redirect location /z',
  'http-request auth',
  'http-request deny deny_status 200 content-type text/plain string hello',
  'http-request set-header x-if if',
  'http-request set-src str(127.0.0.4)',
  'tcp-request connection accept',
  'tcp-request connection set-src str(127.0.0.4)',
  'tcp-request session accept',
  'tcp-request content accept',
  'redirect location /z',
  'stats uri /x',
  'monitor-uri /x',
] as const;

const exitOnPath: fc.Arbitrary<string[]> = fc
  .tuple(
    fc.constantFrom(...exits),
    fc.constantFrom('if { path /x }', 'if !{ path /y }', 'unless !{ path /x }', 'unless { path /y }', ''),
  )
  .map(([verb, words]) => linesOf(verb, { acls: [], aclsBehind: [], words }));

interface Condition {
  readonly acls: readonly string[];
  readonly aclsBehind: readonly string[];
  readonly words: string;
}

interface Term {
  readonly text: string;
  readonly acls: readonly string[];
  readonly aclsBehind: readonly string[];
}

function conditionArbitrary(files: CaseFiles): fc.Arbitrary<Condition> {
  const blocked = lookupArbitrary(files.blockedMap, '$MAP', '127.0.0.4');
  const trusted = lookupArbitrary(files.trustedMap, '$MAP', '127.0.0.9');
  const plain = (text: string): fc.Arbitrary<Term> => fc.constant({ text, acls: [], aclsBehind: [] });
  const rest = fc.oneof(
    plain('{ path /x }'),
    plain('!{ path /y }'),
    plain('{ src 127.0.0.2 }'),
    plain('!{ src 127.0.0.9 }'),
    plain('{ src 127.0.0.4 }'),
    plain(`{ src,map_ip(${files.otherMap}) -m found }`),
    plain(`{ src,map_ip(${files.blockedMap},0) -m int gt 1 }`),
  );
  const not = (term: fc.Arbitrary<Term>): fc.Arbitrary<Term> =>
    fc
      .tuple(term, fc.constantFrom('!', '! ', '!!!', '! !! '))
      .map(([one, mark]) => ({ ...one, text: `${mark}${one.text}` }));
  const any = fc.oneof(blocked, not(blocked), trusted, not(trusted), rest);
  const usual = fc.oneof(fc.tuple(blocked), fc.tuple(blocked, not(trusted)), fc.tuple(not(trusted), blocked));
  const terms = fc.oneof(
    { arbitrary: usual, weight: 4 },
    { arbitrary: fc.array(any, { minLength: 1, maxLength: 3 }), weight: 3 },
  );
  const ifs = fc.tuple(fc.constant('if'), fc.array(terms, { minLength: 1, maxLength: 3, size: 'xsmall' }));
  const unless = fc.tuple(
    fc.constant('unless'),
    fc.oneof(
      fc.tuple(fc.tuple(not(blocked))),
      fc.tuple(fc.tuple(not(blocked)), fc.tuple(trusted)),
      fc.tuple(fc.tuple(trusted), fc.tuple(not(blocked), rest)),
      fc.array(terms, { minLength: 1, maxLength: 2 }),
    ),
  );
  const nothing = fc.constant({ acls: [], aclsBehind: [], words: '' });
  const some = fc
    .tuple(fc.oneof({ arbitrary: ifs, weight: 4 }, { arbitrary: unless, weight: 1 }), fc.constantFrom('or', '||', 'OR'))
    .map(([[keyword, alternatives], or]) => {
      const all = alternatives.flat();
      const texts = alternatives.map((one) => one.map(({ text }) => text).join(' '));
      return {
        acls: all.flatMap(({ acls }) => acls),
        aclsBehind: all.flatMap(({ aclsBehind }) => aclsBehind),
        words: `${keyword} ${texts.join(` ${or} `)}`,
      };
    });
  return fc.oneof({ arbitrary: some, weight: 16 }, { arbitrary: nothing, weight: 1 });
}

function lookups(map: string): string[] {
  return [
    `src,map_ip(${map},0) -m int gt 0`,
    `src,map_ip(${map},0) -m int gt 0`,
    `src,map_ip(${map},0) -m int ge 1`,
    `src,map_ip(${map}) -m int gt 0`,
    `src,map_ip_int(${map},0) gt 0`,
    `src,map_ip(${map}) -m found`,
  ];
}

/** A lookup in a map: inline, or an acl, perhaps with another address. */
function lookupArbitrary(map: string, variable: string, beside: string): fc.Arbitrary<Term> {
  const expression = fc.oneof(
    { arbitrary: fc.constantFrom(...lookups(map)), weight: 11 },
    often(`src,map_ip("${variable}",0) -m int gt 0`, 1),
  );
  const name = fc.nat({ max: 1_000_000 }).map((number) => `acl_${number}`);
  return fc
    .tuple(expression, name, fc.constantFrom('none', 'none', 'acl', 'acl', 'before', 'behind'))
    .map(([text, acl, form]) => {
      if (form === 'none') return { text: `{ ${text} }`, acls: [], aclsBehind: [] };
      const wider = `acl ${acl} src ${beside}`;
      return {
        text: acl,
        acls: [...(form === 'before' ? [wider] : []), `acl ${acl} ${text}`],
        aclsBehind: form === 'behind' ? [wider] : [],
      };
    });
}
