import { describe, expect, test } from 'vitest';
import { upstreamLines } from '../../attach/texts.ts';
import { acceptedRule, upstreamUsesIn } from './blocked-rule.ts';
import { inForceOf, lackText } from './upstream-use.ts';

const maps = {
  blockedMap: '/e/blocked.map',
  trustedMap: '/e/trusted.map',
  upstreamsMap: '/e/upstreams.map',
  proxyProtocolMap: '/e/proxy_protocol.map',
};
const look = `src,map_ip(${maps.blockedMap},0) -m int gt 0`;
const trust = `src,map_ip(${maps.trustedMap},0) -m int gt 0`;
const isUpstream = '{ var(txn.pm_upstream) -m int 1:6 9 21:26 }';
const plain = acceptedRule(maps.blockedMap, maps.trustedMap);
const expects = `tcp-request connection expect-proxy layer4 if { src,map_ip_int(${maps.proxyProtocolMap},0) -m int gt 0 }`;
const lookup = `http-request set-var(txn.pm_upstream) src,map_ip_int(${maps.upstreamsMap},0)`;
const set = `http-request set-src req.hdr_ip(x-real-ip) if ${isUpstream}`;
const reset = 'http-request set-var(txn.pm_upstream) int(0) if { req.hdr_ip(x-real-ip) -m found }';
const rule = `http-request deny if { ${look} } !{ ${trust} } !${isUpstream}`;
const session = `tcp-request session reject if { ${look} } !{ ${trust} }`;
const connection = `tcp-request connection reject if { ${look} }`;

const inIf = (...lines: readonly string[]) => ['.if defined(X)', ...lines, '.endif'];
const front = (...lines: readonly string[]) => ['frontend f', 'mode http', 'bind :80', ...lines];
const tcp = (...lines: readonly string[]) => ['frontend f', 'bind :80', ...lines];

interface Needs {
  readonly proxyProtocol?: boolean;
}

/** Of the only front end; null: it denies no blocked addresses. */
function inForce(lines: readonly string[], { proxyProtocol = false }: Needs = {}) {
  const uses = upstreamUsesIn(`${lines.join('\n')}\n`, maps);
  return inForceOf(uses).frontEnds(proxyProtocol)?.[0] ?? null;
}

const yes = { inForce: true, reason: null };
const no = (reason: RegExp) => ({ inForce: false, reason: expect.stringMatching(reason) });
const notKnown = (reason: RegExp) => ({ inForce: null, reason: expect.stringMatching(reason) });

describe('a front end with HTTP judges the clients of upstreams', () => {
  test('with the lines that attach prints', () => {
    const printed = front(...upstreamLines(maps, 1));
    expect(inForce(printed)).toEqual(yes);
    expect(inForce(printed, { proxyProtocol: true })).toEqual(yes);
  });

  test.each<[how: string, lines: readonly string[]]>([
    ['with rules of its own', [lookup, set, reset, rule]],
    [
      'if its rules read the client from a variable',
      [
        lookup,
        'http-request set-var(txn.c) req.hdr_ip(x-real-ip) if { var(txn.pm_upstream) -m int gt 0 }',
        `http-request set-src var(txn.c) if ${isUpstream} { var(txn.c) -m found }`,
        'http-request set-var(txn.pm_upstream) int(0) if { var(txn.c) -m found }',
        rule,
      ],
    ],
    ['if a rule between them changes no value', [lookup, set, 'http-request set-log-level silent', reset, rule]],
    [
      'if a rule of connections spares upstreams',
      [
        `tcp-request connection reject if { fe_conn gt 9 } { ${look} } !{ src,map_ip_int(${maps.upstreamsMap},0) -m int 1:6 9 21:26 }`,
        lookup,
        set,
        reset,
        rule,
      ],
    ],
  ])('%s', (_how, lines) => {
    expect(inForce(front(...lines))).toEqual(yes);
  });
});

describe('a front end with HTTP does not judge them', () => {
  test.each<[what: string, lines: readonly string[], lack: RegExp]>([
    ['a lookup', [set, reset, plain], /^frontend f lacks http-request set-var\(txn\.pm_upstream\) src,/],
    [
      'a lookup, and has the exception',
      [set, reset, rule],
      /^frontend f lacks http-request set-var\(txn\.pm_upstream\) src,/,
    ],
    [
      'a set-src',
      [lookup, reset, rule],
      /^frontend f lacks an http-request set-src for the client that an upstream names, before the rule for the blocked map$/,
    ],
    ['a set-src behind the lookup', [set, lookup, reset, rule], /lacks an http-request set-src/],
    ['a set-src before the rule', [lookup, reset, rule, set], /lacks an http-request set-src/],
    [
      'a set-src for upstreams',
      [lookup, `${set.replace(' if ', ' if !')}`, reset, rule],
      /lacks an http-request set-src/,
    ],
    [
      'a set-src before the reset',
      [lookup, 'http-request set-var(txn.pm_upstream) int(0)', set, rule],
      /lacks an http-request set-src/,
    ],
    [
      'a value for set-src',
      [lookup, `http-request set-src var(txn.c) if ${isUpstream}`, reset, rule],
      /lacks a rule that sets txn\.c, which http-request set-src \(line 5\) reads/,
    ],
    ['a reset before the rule', [lookup, set, rule, reset], /lacks http-request set-var\(txn\.pm_upstream\) int/],
    ['the reset', [lookup, set, rule], /^frontend f lacks http-request set-var\(txn\.pm_upstream\) int\(0\)/],
    ['the exception', [lookup, set, reset, plain], /^frontend f lacks the exception for upstreams/],
    [
      'the exception in another rule',
      [connection, lookup, set, reset, rule],
      /^frontend f lacks the exception for upstreams/,
    ],
  ])('without %s', (_what, lines, lack) => {
    expect(inForce(front(...lines))).toEqual(no(lack));
  });

  test('and the reason says what its own rule for the address misses', () => {
    const own = 'http-request set-src req.hdr_ip(x-real-ip) if { src 192.0.2.0/24 }';
    expect(inForce(front(own, plain))).toEqual(
      no(/; its own rule for the client's address \(line 4\) leaves the address of the proxy in front if/),
    );
  });
});

describe('it is not known whether a front end judges them', () => {
  test.each<[what: string, lines: readonly string[], reason: RegExp]>([
    [
      'the lookup has a condition',
      front(`${lookup} if { path / }`, set, reset, rule),
      /^frontend f may not check the clients of upstreams: http-request set-var \(line 4\) may not apply/,
    ],
    [
      'the set-src has a further condition',
      front(lookup, `${set} { path / }`, reset, rule),
      /http-request set-src \(line 5\) may not apply/,
    ],
    [
      'the set-src is for some upstreams',
      front(lookup, set.replace('1:6 9 21:26', '6'), reset, rule),
      /http-request set-src \(line 5\) may not apply/,
    ],
    [
      'the reset has another condition',
      front(lookup, set, reset.replace(' -m found', ' -m ip 192.0.2.1'), rule),
      /http-request set-var \(line 6\) may not apply/,
    ],
    [
      'a header is removed before the reset',
      front(lookup, set, 'http-request del-header x-real-ip', reset, rule),
      /http-request set-var \(line 7\) may not apply/,
    ],
    [
      'a header is removed before the set-src',
      front(lookup, 'http-request del-header ^x-r -m reg if { path /x }', set, reset, rule),
      /http-request del-header \(line 5\) may change the header that names the client/,
    ],
    [
      'a header is set before the set-src',
      front(lookup, 'http-request set-header X-Real-IP %[src]', set, reset, rule),
      /http-request set-header \(line 5\) may change the header that names the client/,
    ],
    [
      'a value is set under a condition',
      front(
        lookup,
        'http-request set-var(txn.c) req.hdr_ip(x) if { path / }',
        `http-request set-src var(txn.c) if ${isUpstream}`,
        'http-request set-var(txn.pm_upstream) int(0) if { var(txn.c) -m found }',
        rule,
      ),
      /http-request set-var \(line 5\) may not apply/,
    ],
    [
      'the lookup depends on an .if',
      front(...inIf(lookup), set, reset, rule),
      /http-request set-var \(line 5\) may not apply/,
    ],
    [
      'the set-src depends on an .if',
      front(lookup, ...inIf(set), reset, rule),
      /http-request set-src \(line 6\) may not apply/,
    ],
    [
      'the reset depends on an .if',
      front(lookup, set, ...inIf(reset), rule),
      /http-request set-var \(line 7\) may not apply/,
    ],
    [
      'either the rules or a plain rule apply',
      front('.if defined(X)', lookup, set, reset, rule, '.else', plain, '.endif'),
      /http-request set-var \(line 5\) may not apply/,
    ],
    [
      'the walk depends on an .if',
      front(...upstreamLines(maps, 1).flatMap((line) => (line.includes('is_x-real-ip one_') ? inIf(line) : [line]))),
      /the rules that set txn\.pm_named differ from those of the built-in template/,
    ],
    [
      'its own rule replaces the address first',
      front('http-request set-src hdr(x) if { src 192.0.2.1 }', lookup, set, reset, rule),
      /http-request set-src \(line 4\) may replace the address of the upstream/,
    ],
    [
      'another rule may deny the upstream',
      front(`http-request deny if { ${look} } { path /x }`, lookup, set, reset, rule),
      /http-request deny \(line 4\) may deny the upstream itself/,
    ],
    [
      'its mode depends on an .if',
      ['frontend f', ...inIf('mode http'), 'bind :80', lookup, set, reset, rule],
      /its mode is not certain/,
    ],
    [
      'its mode depends on an .if, and nothing is there',
      ['frontend f', ...inIf('mode http'), 'bind :80', plain],
      /its mode is not certain/,
    ],
    [
      'its defaults depend on an .if',
      ['defaults', 'mode http', ...inIf('defaults', 'mode tcp'), 'frontend f', 'bind :80', plain],
      /not certain which defaults section/,
    ],
    [
      'a line may be any rule',
      front('"$LINE"', lookup, set, reset, rule),
      /^frontend f may not check the clients of upstreams: line 4 may be any rule$/,
    ],
    ['it may deny no blocked address', front(...inIf(plain)), /it is not certain that it denies blocked addresses/],
    [
      'its rule depends on the environment',
      front('http-request deny if { src,map_ip("$MAP",0) -m int gt 0 }'),
      /it is not certain that it denies blocked addresses/,
    ],
  ])('if %s', (_what, lines, reason) => {
    expect(inForce(lines)).toEqual(notKnown(reason));
  });
});

describe('with an upstream that speaks the PROXY protocol, a front end', () => {
  const needs = { proxyProtocol: true };

  test.each<[what: string, lines: readonly string[]]>([
    ['expects it from that upstream', front(expects, lookup, set, reset, rule)],
    ['expects it from every peer', front('tcp-request connection expect-proxy layer4', lookup, set, reset, rule)],
    [
      'has accept-proxy on every bind line',
      [...front(lookup, set, reset, rule).map((line) => line.replace('bind :80', 'bind :80 accept-proxy'))],
    ],
    ['without HTTP expects it', tcp(expects, session)],
  ])('judges its clients if it %s', (_what, lines) => {
    expect(inForce(lines, needs)).toEqual(yes);
  });

  test.each<[what: string, lines: readonly string[], reason: RegExp]>([
    [
      'the rule for it',
      front(lookup, set, reset, rule),
      /^frontend f lacks tcp-request connection expect-proxy layer4 if/,
    ],
    ['the rule for it, without HTTP', tcp(session), /^frontend f lacks tcp-request connection expect-proxy layer4 if/],
    [
      'a rule behind those of connections',
      tcp(expects, connection),
      /^frontend f lacks .* and a rule for the blocked map behind those of connections/,
    ],
    [
      'an exception in a rule of connections',
      tcp(expects, connection, session),
      /^frontend f lacks the exception for upstreams/,
    ],
  ])('does not without %s', (_what, lines, reason) => {
    expect(inForce(lines, needs)).toEqual(no(reason));
  });

  test.each<[what: string, lines: readonly string[], reason: RegExp]>([
    [
      'it expects it under a further condition',
      tcp(`${expects} { dst_port 80 }`, session),
      /tcp-request connection expect-proxy \(line 3\) may not apply to every upstream/,
    ],
    [
      'it expects it in an .if',
      tcp(...inIf(expects), session),
      /tcp-request connection expect-proxy \(line 4\) may not apply/,
    ],
    [
      'only one of its bind lines accepts it',
      tcp('bind :81 accept-proxy', session),
      /not all of its bind lines have accept-proxy/,
    ],
    [
      'its own rule replaces the address',
      tcp(expects, 'tcp-request content set-src hdr(x)', session.replace('session', 'content')),
      /may not apply to the client that PROXY protocol names/,
    ],
  ])('is not known to judge its clients if %s', (_what, lines, reason) => {
    expect(inForce(lines, needs)).toEqual(notKnown(reason));
  });

  test('without HTTP needs nothing for other upstreams', () => {
    expect(inForce(tcp(session))).toEqual(yes);
  });
});

test.each<[what: string, lines: readonly string[]]>([
  ['has no rule for the blocked map', front(lookup, set, reset)],
  ['has such a rule for HTTP only, and no HTTP', tcp(plain)],
  ['denies by other maps only', front('http-request deny if { src,map_ip(/e/other.map,0) -m int gt 0 }')],
])('a front end that %s does not matter', (_what, lines) => {
  expect(inForce(lines, { proxyProtocol: true })).toBeNull();
});

test('a template with HTTP lacks the rules in every front end, with or without the rule for the blocked map', () => {
  const text = `${[...front(), 'frontend t', 'bind :81', ...inIf('mode http')].join('\n')}\n`;
  const lacks = upstreamUsesIn(text, maps).flatMap((use) => lackText(use, false) ?? []);
  expect(lacks).toEqual([expect.stringMatching(/^frontend f lacks http-request set-var/)]);
});

describe('requests without a client are', () => {
  const uncounted = (...lines: readonly string[]) =>
    inForceOf(upstreamUsesIn(`${front(...lines).join('\n')}\n`, maps)).uncounted;
  const own = 'http-request track-sc1 src table own';

  test('counted with a stick counter that no rule before has', () => {
    expect(uncounted(own.replace('sc1', 'sc2'), ...upstreamLines(maps, 1))).toEqual([]);
    expect(uncounted(own, ...upstreamLines(maps, 2))).toEqual([]);
    expect(uncounted(own)).toEqual([]);
    expect(uncounted(...upstreamLines(maps, 1), own)).toEqual([]);
  });

  test.each([own, 'tcp-request content track-sc1 src table own', `${own} if { path /x }`])(
    'not all counted beside %s',
    (line) => {
      expect(uncounted(line, ...upstreamLines(maps, 1))).toEqual([
        expect.stringMatching(/^frontend f may not count requests without a client, because the rule at line 4 uses/),
      ]);
    },
  );
});
