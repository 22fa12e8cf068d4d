import { describe, expect, it } from 'vitest';
import { challengeLine } from '../template/challenge-rule.ts';
import { acceptedRule } from './blocked-rule.ts';
import { challengesIn } from './challenge-use.ts';

const maps = {
  blockedMap: '/e/blocked.map',
  trustedMap: '/e/trusted.map',
  proxyProtocolMap: '/e/proxy_protocol.map',
  acmeChallengesMap: '/e/acme_challenges.map',
};
const challenge = challengeLine(maps.acmeChallengesMap);
const deny = acceptedRule(maps.blockedMap, maps.trustedMap);
const use = (...lines: readonly string[]) =>
  challengesIn([{ path: 'own.cfg', text: ['defaults', 'mode http', ...lines].join('\n') }], maps, 'add it');
const web = (...rules: readonly string[]) => use('frontend web', 'bind :80', ...rules);

describe('the rule for ACME challenges', () => {
  it.each<[string, readonly string[], string | null]>([
    ['alone', [challenge], null],
    ['before the rule for the blocked map', [challenge, deny], null],
    ['behind a rule that denies some clients for other reasons', ['http-request deny if { path /x }', challenge], null],
    [
      'behind the limit of the built-in template',
      ['tcp-request connection reject if { fe_conn gt 5 } { src,map_ip(/e/blocked.map,0) -m int gt 0 }', challenge],
      null,
    ],
    ['missing', [deny], 'the configuration has no rule for ACME challenges; add it'],
    ['in a comment', [deny, `# ${challenge}`], 'the configuration has no rule for ACME challenges; add it'],
    ['behind the rule for the blocked map', [deny, challenge], 'http-request deny (own.cfg:5) denies'],
    [
      'behind an exception in the rule for the blocked map',
      ['http-request deny if { src,map_ip(/e/blocked.map,0) -m int gt 0 } !{ path /x }', challenge],
      'http-request deny (own.cfg:5) denies',
    ],
    [
      'behind a rule of connections',
      [challenge, 'tcp-request connection reject if { src,map_ip(/e/blocked.map,0) -m int gt 0 }'],
      'tcp-request connection reject (own.cfg:6) denies',
    ],
  ])('%s', (_where, rules, obstacle) => {
    const found = web(...rules).obstacle;
    if (obstacle === null) expect(found).toBeNull();
    else expect(found).toContain(obstacle);
  });

  it('in another front end than that at port 80 does not matter', () => {
    const other = ['frontend other', 'bind :8080', deny, challenge];
    expect(use(...other, 'frontend web', 'bind :80', challenge, deny).obstacle).toBeNull();
    expect(use(...other).obstacle).toContain('denies');
  });
});

describe('where authorities ask', () => {
  const at = (host: string, port: number, proxyProtocol = false) => ({ host, port, proxyProtocol });

  it.each<[string, readonly string[], object]>([
    [
      'port 80, if there is one',
      ['bind :80,[::]:80', 'bind :8080', 'bind 192.0.2.1:80 accept-proxy'],
      { addresses: [at('127.0.0.1', 80), at('::1', 80), at('192.0.2.1', 80, true)], oneSuffices: false, untried: [] },
    ],
    [
      'otherwise any port without TLS',
      ['bind :443 ssl crt x.pem', 'bind 127.0.0.1:8080', 'bind :9000'],
      { addresses: [at('127.0.0.1', 8080), at('127.0.0.1', 9000)], oneSuffices: true },
    ],
    [
      'not what cannot be reached by TCP',
      ['bind /run/x.sock', 'bind "$HTTP:80"'],
      {
        addresses: [],
        untried: [
          'the address /run/x.sock cannot be reached by TCP from here',
          'the address $HTTP:80 cannot be reached by TCP from here',
        ],
      },
    ],
    [
      'not where a rule decides who speaks PROXY protocol',
      ['bind :80', 'tcp-request connection expect-proxy layer4 if { src 10.0.0.0/8 }'],
      { addresses: [], untried: ['a rule decides who speaks PROXY protocol at :80 (own.cfg:5)'] },
    ],
    [
      'also behind our own rule for it',
      [
        'bind :80',
        'tcp-request connection expect-proxy layer4 if { src,map_ip_int(/e/proxy_protocol.map,0) -m int gt 0 }',
      ],
      { addresses: [at('127.0.0.1', 80)], untried: [] },
    ],
    ['not in a disabled section', ['bind :80', 'disabled'], { addresses: [], untried: [] }],
  ])('%s', (_where, lines, wanted) => {
    expect(use('frontend web', ...lines)).toMatchObject(wanted);
  });
});
