import { describe, expect, test } from 'vitest';
import { acceptedRule, findBlockedRule } from './blocked-rule.ts';

const blocked = '/e/blocked.map';
const trusted = '/e/trusted.map';
const look = `src,map_ip(${blocked},0) -m int gt 0`;
const trust = `src,map_ip(${trusted},0) -m int gt 0`;
const linesOf = (text: string) => findBlockedRule(text, blocked, trusted).lines;

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
  expect(findBlockedRule(text, blocked, trusted)).toMatchObject({
    lines: [4],
    warnings: ["frontend f sets the client's address in line 3: the rule for the blocked map checks that address"],
  });
});

test('a front end that answers before the rule is named in a warning', () => {
  const text = `frontend f\nbind :80\nhttp-request return status 200 if { path / }\n${acceptedRule(blocked, trusted)}\n`;
  expect(findBlockedRule(text, blocked, trusted).warnings).toEqual([expect.stringContaining('line 3')]);
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
  expect(findBlockedRule(`frontend f\n${rules}\n`, blocked, trusted).sparesTrusted).toBe(spares);
});
