import { describe, expect, test } from 'vitest';
import { acceptedRule, findBlockedRule } from './blocked-rule.ts';

const blocked = '/e/blocked.map';
const trusted = '/e/trusted.map';
const look = `src,map_ip(${blocked},0) -m int gt 0`;
const trust = `src,map_ip(${trusted},0) -m int gt 0`;
const upstreams = '/e/upstreams.map';
const find = (text: string) =>
  findBlockedRule(text, { blockedMap: blocked, trustedMap: trusted, upstreamsMap: upstreams });
const linesOf = (text: string) => find(text).lines;

describe('the rule for the blocked map counts', () => {
  test.each([
    acceptedRule(blocked, trusted),
    `http-request deny if { ${look} }`,
    `http-request deny deny_status 403 if { ${look} } !{ ${trust} }`,
    `http-request deny if !{ ${trust} } { ${look} }`,
    `http-request deny if { ${look} } ! { ${trust} }`,
    `http-request deny if { path /x } || { ${look} }`,
    `http-request deny if { ${look} } or { src 1.2.3.4 }`,
    `http-request deny if { src,map_ip("${blocked}",0) -m int gt 0 } # why`,
    `acl b ${look}\nhttp-request deny if b`,
    `acl b ${look}\nacl t ${trust}\nhttp-request deny if b !t`,
    `acl b ${look}\nacl b src 1.2.3.4\nhttp-request deny if b`,
    `tcp-request connection reject if { ${look} }`,
    `tcp-request content reject if { ${look} } !{ ${trust} }`,
  ])('as %s', (rule) => {
    expect(linesOf(`frontend f\n${rule}\n`)).toHaveLength(1);
    expect(linesOf(`listen f\n${rule}\n`)).toHaveLength(1);
  });
});

describe('the rule for the blocked map does not count', () => {
  test.each([
    ['as a comment', `# http-request deny if { ${look} }`],
    ['after a comment sign', `http-request deny # if { ${look} }`],
    ['inside quotes', `http-request return string 'http-request deny if { ${look} }'`],
    ['turned round', `http-request deny unless { ${look} }`],
    ['denied', `http-request deny if !{ ${look} }`],
    ['narrowed by a path', `http-request deny if { ${look} } { path /admin }`],
    ['narrowed by another exception', `http-request deny if { ${look} } !{ src 10.0.0.0/8 }`],
    ['only for trusted addresses', `http-request deny if { ${look} } { ${trust} }`],
    ['with another map', 'http-request deny if { src,map_ip(/e/other.map,0) -m int gt 0 }'],
    ['with another source', `http-request deny if { hdr_ip(x),map_ip(${blocked},0) -m int gt 0 }`],
    ['with another match', `http-request deny if { src,map_ip(${blocked},0) -m int gt 1 }`],
    ['with another status', `http-request deny deny_status 200 if { ${look} }`],
    ['as another action', `http-request set-var(txn.x) int(1) if { ${look} }`],
    ['conditional on the environment', `.if defined(X)\nhttp-request deny if { ${look} }\n.endif`],
    ['through an undefined acl', 'http-request deny if b'],
    ['with a wider exception', `acl t ${trust}\nacl t src 10.0.0.0/8\nhttp-request deny if { ${look} } !t`],
    ['with a brace left open', `http-request deny if { ${look}`],
    ['with a brace left open behind it', `http-request deny if { ${look} } or { path /x`],
    ['by whatever value', `http-request deny if { src,map_ip(${blocked}) -m found }`],
    ['with an answer that is late', `http-request tarpit if { ${look} }`],
    ['without an answer', `tcp-request content silent-drop if { ${look} }`],
    ['when it is missing', 'bind :80'],
  ])('%s', (_how, rule) => {
    expect(linesOf(`frontend f\n${rule}\n`)).toEqual([]);
  });

  test('in a backend, which requests without a site bypass', () => {
    expect(linesOf(`backend b\n${acceptedRule(blocked, trusted)}\n`)).toEqual([]);
  });

  test('through an acl of another section', () => {
    expect(linesOf(`frontend a\nacl b ${look}\nfrontend c\nhttp-request deny if b\n`)).toEqual([]);
  });
});

test('a rule that sets the address of the client is named in a warning, as what it is', () => {
  const set = 'http-request set-src req.hdr(CF-Connecting-IP) if { src 192.0.2.0/24 }';
  const text = `frontend f\nbind :80\n${set}\n${acceptedRule(blocked, trusted)}\n`;
  expect(find(text)).toMatchObject({
    lines: [4],
    warnings: [
      expect.stringMatching(
        /^frontend f sets the client's address in line 3: the rule for the blocked map checks that address, and such a rule leaves the address of the proxy in front if the header is missing /,
      ),
    ],
  });
});

test('a front end that answers before the rule is named in a warning', () => {
  const text = `frontend f\nbind :80\nhttp-request return status 200 if { path / }\n${acceptedRule(blocked, trusted)}\n`;
  expect(find(text).warnings).toEqual([expect.stringContaining('line 3')]);
});

test.each([
  [acceptedRule(blocked, trusted), true],
  [`acl t ${trust}\nhttp-request deny if { ${look} } !t`, true],
  [`http-request deny if { ${look} } !{ ${trust} } or { src 1.2.3.4 }`, true],
  [`http-request deny if { ${look} }`, false],
  [`${acceptedRule(blocked, trusted)}\nhttp-request deny if { ${look} }`, false],
  [`http-request deny if { ${look} } !{ ${trust} } or { ${look} }`, false],
  [`http-request deny if { ${look} } { path /x } !{ ${trust} }`, null],
])('whether %s exempts trusted addresses: %s', (rules, spares) => {
  expect(find(`frontend f\n${rules}\n`).sparesTrusted).toBe(spares);
});

describe('the exception for upstreams', () => {
  const withException = `http-request deny if { ${look} } !{ ${trust} } !{ var(txn.pm_upstream) -m int gt 0 }`;
  const lookup = `http-request set-var(txn.pm_upstream) src,map_ip_int(${upstreams},0)`;
  const walk = [
    'http-request set-src req.hdr_ip(x-forwarded-for,-1) if { var(txn.pm_upstream) -m int 1:2 }',
    'http-request set-var(txn.pm_upstream) int(2) if { var(txn.pm_upstream) -m int gt 0 } { path /x }',
    'http-request set-var(txn.pm_upstream) int(0) if { path /x }',
    "http-request return status 400 string 'no' if { var(txn.pm_upstream) -m int 1 21 } { path /x }",
  ];
  const frontEnd = (...lines: string[]) => find(`frontend f\nbind :80\n${lines.join('\n')}\n`);

  test.each([
    ['the lookup', [lookup]],
    ['the lookup that sets another variable too', [`${lookup},set-var(txn.x)`]],
    ['rules for upstreams only', [lookup, ...walk]],
    ['other variables', [lookup, 'http-request set-var(txn.pm_upstreams) int(1)']],
  ])('is accepted behind %s', (_what, lines) => {
    expect(frontEnd(...lines, withException)).toEqual({
      lines: [lines.length + 3],
      sparesTrusted: true,
      warnings: [],
    });
  });

  test.each([
    ['nothing', []],
    ['a lookup under a condition', [`${lookup} if { path /x }`]],
    ['a lookup that may be absent', ['.if defined(X)', lookup, '.endif']],
    ['a lookup in another map', [lookup.replace(upstreams, '/e/other.map')]],
    ['a lookup of another address', [lookup.replace('src,', 'req.hdr_ip(x),')]],
    ['a lookup with another value for other clients', [lookup.replace(',0)', ',1)')]],
    ['a sum', [`${lookup},add(10)`]],
    ['a product', [`${lookup},mul(0)`]],
    ['another value by a condition', ['acl a int(1),set-var(txn.pm_upstream) -m found', lookup]],
    [
      'another value by a condition without a name',
      [lookup, 'http-request set-var(txn.x) int(1) if { int(1),set-var(txn.pm_upstream) 2 }'],
    ],
    [
      'another value by a condition of 0',
      [lookup, 'http-request set-var(txn.pm_upstream) int(0) if { int(1),set-var(txn.pm_upstream) 2 }'],
    ],
    ['another value for all', [lookup, 'http-request set-var(txn.pm_upstream) int(1)']],
    ['another value for some', [lookup, 'http-request set-var(txn.pm_upstream) int(1) if { path /x }']],
    ['another value by a converter', [lookup, 'http-request set-var(txn.x) int(1),set-var(txn.pm_upstream)']],
    ['another value from the environment', [lookup, 'http-request set-var("$V") int(1)']],
    [
      'another value in quotes',
      [lookup, `http-request set-header X '%[req.hdr(x),length,set-var("txn.pm_upstream")]'`],
    ],
    ['a value by Lua', [lookup, 'http-request set-header X %[lua.any]']],
    ['a variable that is not set', [lookup, 'http-request unset-var(txn.pm_upstream)']],
    ['a script', [lookup, 'http-request lua.x']],
  ])('is not accepted behind %s', (_what, lines) => {
    expect(frontEnd(...lines, withException).lines).toEqual([]);
  });

  test.each([
    '!{ var(txn.pm_upstream) -m found }',
    '!{ var(txn.pm_upstream) -m int ge 0 }',
    '!{ var(txn.pm_upstream) -m int 0 }',
    '!{ var(txn.pm_upstream) -m int 0:9 }',
    '!{ var(txn.pm_upstream) gt 0 }',
    '!{ var(txn.pm_peer) -m int gt 0 }',
    `!{ src,map_ip_int(${upstreams},0) -m int gt 0 }`,
    '{ var(txn.pm_upstream) -m int gt 0 }',
  ])('is not accepted as %s', (term) => {
    expect(frontEnd(lookup, `http-request deny if { ${look} } ${term}`).lines).toEqual([]);
  });

  test('is not accepted without an upstream map', () => {
    const paths = { blockedMap: blocked, trustedMap: trusted };
    expect(findBlockedRule(`frontend f\n${lookup}\n${withException}\n`, paths).lines).toEqual([]);
  });

  test('does not hide a rule that replaces the address of other clients', () => {
    const set = 'http-request set-src req.hdr_ip(x-forwarded-for,-1)';
    expect(frontEnd(lookup, set, withException).warnings).toEqual([
      expect.stringMatching(/^frontend f sets the client's address in line 4: /),
    ]);
  });
});

describe('an answer to ACME challenges before the rule', () => {
  const map = '/e/acme_challenges.map';
  const answer = (path: string, other = path) =>
    `http-request return status 200 content-type text/plain hdr Cache-Control no-store lf-string "%[path,map_str(${path})]" if METH_GET { path_beg /.well-known/acme-challenge/ } { path,map_str(${other}) -m found }`;
  const warningsWith = (rule: string) =>
    find(`frontend f\nbind :80\n${rule}\n${acceptedRule(blocked, trusted)}\n`).warnings;

  test('is no exception, written as in the built-in template', () => {
    expect(warningsWith(answer(map))).toEqual([]);
  });

  test.each([
    ['from another map', answer('/e/other.map')],
    ['under the condition of another map', answer(map, '/e/x/acme_challenges.map')],
    ['of every path', answer(map).replace('{ path_beg /.well-known/acme-challenge/ } ', '')],
    ['with other text', answer(map).replace('%[path', 'x%[path')],
    ['under one condition or another', answer(map).replace('} { path,map', '} or { path,map')],
    ['with a condition from the environment', answer(map).replace('METH_GET', '"$METHOD"')],
  ])('is one %s', (_how, rule) => {
    expect(warningsWith(rule)).toEqual([expect.stringContaining('answers some requests in line 3')]);
  });
});
