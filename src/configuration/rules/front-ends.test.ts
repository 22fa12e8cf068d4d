import { describe, expect, test } from 'vitest';
import { frontEndsOf, mapsNamedIn, oldRulesIn, stickCountersIn } from './front-ends.ts';
import { sameAddress } from './rules.ts';

const maps = { blockedMap: '/e/blocked.map', trustedMap: '/e/trusted.map' };
const look = '{ src,map_ip(/e/blocked.map,0) -m int gt 0 }';
const found = '{ src,map_ip(/e/blocked.map) -m found }';
const trust = '{ src,map_ip(/e/trusted.map,0) -m int gt 0 }';
const rule = `http-request deny if ${look} !${trust}`;

const files = (...lines: string[]) => [{ path: 'c', text: `${lines.join('\n')}\n` }];
const frontEnds = (...lines: string[]) => frontEndsOf(files(...lines), maps);
/** In a front end of its own, from line 3 on. */
const findingOf = (...lines: string[]) => {
  const [front] = frontEnds('frontend f', 'mode http', ...lines, 'bind :80');
  return front && [front.hasRule, front.sparesTrusted, front.answersBefore];
};

test('names each front end, its place, its mode and its addresses', () => {
  expect(
    frontEnds(
      'defaults',
      'mode http',
      'frontend web',
      'bind :80,:81',
      'bind :443 ssl',
      rule,
      'listen raw',
      'mode tcp',
      'bind ::1:9',
    ),
  ).toEqual([
    {
      name: 'web',
      kind: 'frontend',
      place: 'c:3',
      mode: 'http',
      bindLines: ['bind :80,:81', 'bind :443 ssl'],
      upstreamUse: expect.objectContaining({ frontEnd: 'frontend web', deniesBlocked: true }),
      hasRule: true,
      sparesTrusted: true,
      answersBefore: null,
      sourceSetAt: null,
    },
    {
      name: 'raw',
      kind: 'listen',
      place: 'c:7',
      mode: 'tcp',
      bindLines: ['bind ::1:9'],
      upstreamUse: expect.objectContaining({ frontEnd: 'listen raw', deniesBlocked: false }),
      hasRule: false,
      sparesTrusted: null,
      answersBefore: null,
      sourceSetAt: null,
    },
  ]);
});

test('a front end denies blocked addresses for upstreams too, although a set-src of its own hides the rule', () => {
  const own = 'http-request set-src hdr(cf-connecting-ip)';
  const [front] = frontEnds('frontend f', 'mode http', 'bind :80', own, rule);
  expect(front).toMatchObject({ hasRule: false, upstreamUse: { ownSource: 'c:4', deniesBlocked: true } });
});

test.each([
  ['without a bind', ['listen l', 'server s :1']],
  ['disabled', ['frontend f', 'bind :1', 'disabled']],
  ['disabled by its defaults', ['defaults', 'disabled', 'frontend f', 'bind :1']],
])('leaves out an unreachable front end: %s', (_which, lines) => {
  expect(frontEnds(...lines)).toEqual([]);
});

test.each([
  ['enabled again', ['defaults', 'disabled', 'frontend f', 'bind :1', 'enabled']],
  ['disabled under a condition', ['frontend f', 'bind :1', '.if defined(X)', 'disabled', '.endif']],
])('keeps a front end that is %s', (_which, lines) => {
  expect(frontEnds(...lines)).toHaveLength(1);
});

test('names rules that replace the source address, after the rule too', () => {
  const places = frontEnds('frontend f', 'bind :1', 'mode http', rule, 'http-request set-src hdr(cf-connecting-ip)');
  expect(places).toMatchObject([{ hasRule: true, sourceSetAt: 'c:5' }]);
});

describe('finds the rule', () => {
  test.each([
    [[rule], true],
    [[`http-request deny if ${found}`], false],
    [[`http-request deny if ${found} !{ src,map_ip(/e/trusted.map) -m found }`], true],
    [['http-request deny if { src,map_ip_int(/e/blocked.map,0) gt 0 }'], false],
    [[`http-request deny unless !${look} or ${trust}`], true],
    [[`http-request deny unless ${trust} || !${look} { path /x }`], true],
    [[`http-request deny if !!${look} OR { path /x }`], false],
    [[`http-request deny status 403 content-type text/plain string if if ${look}`], false],
    [[`http-request reject if ${look}`], false],
    [[`http-request silent-drop rst-ttl 1 if ${look}`], false],
    [[`http-request tarpit deny_status 429 if ${look}`], false],
    [[`tcp-request session reject if ${look} !${trust}`], true],
    [[`http-request allow if ${trust}`, `http-request deny if ${look}`], true],
    [['tcp-request connection expect-proxy layer4', rule], true],
    [['http-request set-header X "$ENV" if { path /x }', rule], true],
    [['.if defined(X)', 'http-request deny if { path /x }', '.endif', rule], true],
  ])('in %j', (lines, sparesTrusted) => {
    expect(findingOf(...lines)).toEqual([true, sparesTrusted, null]);
  });

  test('of the defaults section, in all front ends with it', () => {
    const lines = [
      'defaults d',
      'mode http',
      `acl b ${look.slice(2, -2)}`,
      'http-request deny if b',
      'frontend f',
      'bind :1',
    ];
    expect(frontEnds(...lines)).toMatchObject([{ hasRule: true, sparesTrusted: false }]);
  });
});

describe('finds no rule', () => {
  test.each([
    ['that denies all clients', ['http-request deny']],
    ['with another status', [`http-request deny deny_status 429 if ${look}`]],
    ['with a status from the environment', [`http-request deny deny_status "$S" if ${look}`]],
    ['with a map from the environment', ['http-request deny if { src,map_ip("$MAP",0) -m int gt 0 }']],
    ['under a condition', ['.if defined(X)', rule, '.endif']],
    [
      'with an exception for all addresses',
      [`http-request deny if ${look} !{ src,map_ip(/e/trusted.map,0) -m found }`],
    ],
    [
      'with an exception that a later line widens',
      [`acl t ${trust.slice(2, -2)}`, `http-request deny if ${look} !t`, 'acl t src 10.0.0.0/8'],
    ],
    [
      'with an exception whose name means more',
      [`acl LOCALHOST ${trust.slice(2, -2)}`, `http-request deny if ${look} !LOCALHOST`],
    ],
    [
      'with an exception that the environment may widen',
      [`acl t ${trust.slice(2, -2)}`, 'acl t src "$NET"', `http-request deny if ${look} !t`],
    ],
    [
      'with an exception of a name from the environment',
      [`acl t ${trust.slice(2, -2)}`, 'acl "$T" src ::/0', `http-request deny if ${look} !t`],
    ],
    [
      'through an acl under a condition',
      ['.if defined(X)', `acl b ${look.slice(2, -2)}`, '.endif', 'http-request deny if b'],
    ],
    ['beside a line that may be anything', [rule, '"$LINE"']],
    [
      'beside a rule that may be of any phase',
      [`tcp-request content reject if ${look}`, 'tcp-request "$PHASE" accept'],
    ],
    ['of which only one of two exceptions is ours', [`http-request deny unless !${look} or { path /x } or ${trust}`]],
    ['that an empty word cuts short', [`http-request deny if { path /x } '' or ${look}`]],
    ['for another address', ['http-request set-src hdr(x-forwarded-for)', rule]],
    ['behind an action that is not known', ['http-request become-magic', rule]],
    [
      'of a connection, where another proxy sends the address',
      [`tcp-request connection reject if ${look}`, 'bind :81 accept-proxy'],
    ],
    [
      'of a connection, where another device sends it',
      [`tcp-request connection reject if ${look}`, 'bind :81 accept-netscaler-cip'],
    ],
    [
      'of a connection, where a later rule says so',
      [`tcp-request connection reject if ${look}`, 'tcp-request connection expect-proxy layer4'],
    ],
    [
      'of a connection, where the environment may say so',
      [`tcp-request connection reject if ${look}`, 'bind "$ADDRESS"'],
    ],
    ['that the environment may move to another section', ['.if defined(X)', 'backend b', '.endif', rule]],
  ])('%s', (_which, lines) => {
    const [front] = frontEnds('frontend f', 'mode http', 'bind :80', ...lines);
    expect(front).toMatchObject({ hasRule: false, sparesTrusted: null });
  });

  test('for requests in another mode', () => {
    expect(frontEnds('frontend f', 'bind :1', rule)).toMatchObject([{ mode: 'tcp', hasRule: false }]);
    expect(frontEnds('frontend f', 'bind :1', 'mode haterm', rule)).toMatchObject([{ mode: 'haterm', hasRule: false }]);
  });

  test('for connections in the defaults section alone, which HAProxy 2.6 ignores', () => {
    const lines = ['defaults d', `tcp-request connection reject if ${look}`, 'frontend f', 'bind :1'];
    expect(frontEnds(...lines)).toMatchObject([{ hasRule: false }]);
    const own = 'tcp-request connection accept if { src ::1 }';
    expect(frontEnds(...lines, own)).toMatchObject([{ hasRule: true }]);
    expect(frontEnds(...lines, '.if defined(X)', own, '.endif')).toMatchObject([{ hasRule: false }]);
  });

  test('if it is unknown which defaults section applies', () => {
    const lines = ['.if defined(X)', 'defaults d', '.endif', 'frontend f', 'mode http', 'bind :1'];
    expect(frontEnds(...lines, `tcp-request connection reject if ${look}`)).toMatchObject([{ hasRule: false }]);
  });

  test('in another file than the beginning of its section', () => {
    const both = [
      { path: 'a', text: 'frontend f\nmode http\nbind :1\n' },
      { path: 'b', text: `${rule}\n` },
    ];
    expect(frontEndsOf(both, maps)).toMatchObject([{ hasRule: false }]);
  });
});

describe('answers before the rule', () => {
  test.each([
    ['an answer', ['http-request return status 200 if { path /x }', rule], 'c:3'],
    ['a redirect', ['http-request redirect scheme https if !{ ssl_fc }', rule], 'c:3'],
    ['an answer under a condition', ['.if defined(X)', 'http-request return status 200', '.endif', rule], 'c:4'],
    ['an allowance', ['http-request allow if { path /x }', rule], 'c:3'],
    ['a request for a password', ['http-request auth unless { http_auth(u) }', rule], 'c:3'],
    ['a service', ['http-request use-service prometheus-exporter if { path /m }', rule], 'c:3'],
    ['a script', ['http-request lua.greet if { path /m }', rule], 'c:3'],
    ['an answer that looks like an error', ['http-request return string 404 if { path /x }', rule], 'c:3'],
    ['an answer whose status is no error', ['http-request return status 4 if { path /x }', rule], 'c:3'],
    ['an error that the environment may change', ['http-request return status "$S" if { path /x }', rule], 'c:3'],
    ['a deny that is none', [`http-request deny deny_status 200 if { path /x }`, rule], 'c:3'],
    ['a deny that the environment may change', ['http-request deny hdr X "$Y" if { path /x }', rule], 'c:3'],
    ['an answer whose condition is not clear', [`http-request redirect location if unless ${trust}`, rule], 'c:3'],
    ['the monitor, at any position', [rule, 'monitor-uri /ping'], 'c:4'],
    ['a filter that may', [rule, 'filter lua.f'], 'c:4'],
    ['a filter that is not known', [rule, 'filter "$FILTER"'], 'c:4'],
    ['an acceptance', ['tcp-request content accept if HTTP', `tcp-request content reject if ${look}`], 'c:3'],
    ['a rule of an earlier phase', [rule, 'tcp-request content use-service lua.s if HTTP'], 'c:4'],
  ])('%s', (_what, lines, place) => {
    expect(findingOf(...lines)?.[2]).toBe(place);
    expect(findingOf(...lines)?.[0]).toBe(true);
  });

  test.each([
    ['an acceptance of an earlier phase', ['tcp-request content accept', 'tcp-request connection accept', rule]],
    ['what is only for trusted addresses', [`http-request return status 200 if ${trust}`, rule]],
    ['what is only for addresses that are not blocked', [`http-request allow unless ${look}`, rule]],
    ['an answer behind it', [rule, 'http-request return status 200']],
    ['a later phase', ['http-request return status 200', `tcp-request content reject if ${look}`]],
    ['the statistics', ['stats uri /s', rule]],
    ['a redirect that comes behind all rules', ['redirect location /z', rule]],
    ['a filter that does not', ['filter compression', rule]],
    ['another denial', ['http-request deny deny_status 429 if { path /x }', rule]],
    ['an error', ['http-request return status 400 content-type text/plain string no if { path /x }', rule]],
    ['the IPv4 address of a mapped one', [`http-request set-src ${sameAddress}`, rule]],
    ['another change', ['http-request set-var(txn.a) int(1)', 'http-request track-sc0 src', rule]],
  ])('but not %s', (_what, lines) => {
    expect(findingOf(...lines)?.[0]).toBe(true);
    expect(findingOf(...lines)?.[2]).toBe(null);
  });

  test.each([
    ['answers everything', ['http-request return status 200', rule]],
    ['allows everything', ['http-request allow', rule]],
    ['may change the source', ['http-request set-src hdr(x-forwarded-for)', rule]],
    ['may take another address for the IPv4 address', ['http-request set-src src,ipmask(32,128)', rule]],
    ['accepts everything', ['tcp-request content accept', `tcp-request content reject if ${look}`]],
  ])('where it %s, so that the rule is never reached', (_what, lines) => {
    expect(findingOf(...lines)).toEqual([false, null, 'c:3']);
  });
});

test('treats a dollar sign as a variable only in double quotes, like HAProxy', () => {
  const odd = { ...maps, blockedMap: '/e/$x.map' };
  const lines = (map: string) =>
    files('frontend f', 'mode http', 'bind :1', `http-request reject if { src,map_ip(${map},0) -m int gt 0 }`);
  expect(frontEndsOf(lines('/e/$x.map'), odd)).toMatchObject([{ hasRule: true }]);
  expect(frontEndsOf(lines('"/e/$x.map"'), odd)).toMatchObject([{ hasRule: false }]);
  const named = files(
    'frontend f',
    'mode http',
    'bind :1',
    'acl b src,map_ip("/e/$x.map",0) -m int gt 0',
    'http-request deny if b',
  );
  expect(frontEndsOf(named, odd)).toMatchObject([{ hasRule: false }]);
});

test('names each map of a converter once', () => {
  const text = [
    'frontend f',
    `acl b src,map_ip("/e/b.map",0) -m int gt 0`,
    "http-request set-header X '%[src,map_ip(/e/b.map)]' if { path,map_beg(/e/p.map) -m found }",
    '# use_backend %[base,map(/e/comment.map)]',
    'use_backend %[req.hdr(host),lower,map_str_int(/e/h.map,x)]',
  ];
  expect(mapsNamedIn(files(...text))).toEqual(['/e/b.map', '/e/p.map', '/e/h.map']);
});

test('finds rules that deny addresses of another list, and which of its lines', () => {
  const text = [
    'frontend f',
    rule,
    'http-request deny if { src,map_ip(/e/old.map) -m found }',
    'http-request deny if { src,map_ip(/e/less.map) -m found } !{ src,map_ip(/e/spared.map) -m found }',
    'acl bad src -f /e/bad.lst',
    'acl bad src 192.0.2.1',
    'tcp-request connection reject if bad or { path /x }',
    'http-request deny if { path /admin } { src -f /e/admin.lst }',
    'http-request deny unless !{ src -f /e/turned.lst }',
    'http-request allow if { src -f /e/good.lst }',
    'backend b',
    'http-request tarpit if { src,map_ip_int(/e/slow.map,0) gt 5 }',
    'http-request deny if { src,map_ip(/e/ours.map,0) -m int gt 0 }',
  ];
  expect(oldRulesIn(files(...text), maps)).toEqual([
    { file: '/e/old.map', denies: 'keys', place: 'c:3' },
    { file: '/e/less.map', denies: 'some', place: 'c:4' },
    { file: '/e/bad.lst', denies: 'keys', place: 'c:7' },
    { file: '/e/admin.lst', denies: 'some', place: 'c:8' },
    { file: '/e/turned.lst', denies: 'some', place: 'c:9' },
    { file: '/e/slow.map', denies: 'some', place: 'c:12' },
    { file: '/e/ours.map', denies: 'values', place: 'c:13' },
  ]);
});

test('names the stick counters that rules of any section use, except those that count for upstreams', () => {
  const text = [
    'frontend f',
    'tcp-request connection track-sc0 src',
    'http-request track-sc1 src table pm_unnamed',
    'http-response track-sc2 src if { path track-sc9 }',
    'backend b',
    'http-request track-sc4 src table t',
  ];
  expect([...stickCountersIn(files(...text))]).toEqual([0, 2, 4]);
});
