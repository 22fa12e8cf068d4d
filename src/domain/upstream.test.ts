import { describe, expect, it } from 'vitest';
import { addressesIn, parseUpstream, type UpstreamFields, upstreamValues } from './upstream.ts';
import { knownCdn, presetNames, upstreamPresets } from './upstream-presets.ts';

const lb: UpstreamFields = { networks: ['10.0.3.0/24'], header: 'x-forwarded-for' };
const parsed = (given: Partial<UpstreamFields>, name = 'lb') => {
  const result = parseUpstream(name, { ...lb, ...given });
  if (!result.ok) throw new Error(JSON.stringify(result.fields));
  return result.upstream;
};
const problems = (given: Partial<UpstreamFields>) => {
  const result = parseUpstream('lb', { ...lb, ...given });
  return result.ok ? [] : result.fields.map(({ name }) => name);
};

describe('an upstream', () => {
  it('has canonical networks in address order, and defaults', () => {
    expect(parsed({ networks: ['2001:DB8::/32', '::ffff:192.0.2.1', '10.0.3.0/24'] })).toMatchObject({
      networks: [{ text: '10.0.3.0/24' }, { text: '192.0.2.1' }, { text: '2001:db8::/32' }],
      header: 'x-forwarded-for',
      chain: false,
      proxyProtocol: false,
      onInvalid: 'reject',
      note: null,
    });
    expect(parsed({ header: 'CF-Connecting-IP' }).header).toBe('cf-connecting-ip');
  });

  it.each([
    ['a network with host bits', { networks: ['10.0.3.1/24'] }, ['networks[0]']],
    ['no address', { networks: ['10.0.3.0/24', 'lb.example.com'] }, ['networks[1]']],
    ['an IPv4 network wider than /10', { networks: ['10.0.0.0/9'] }, ['networks[0]']],
    ['an IPv6 network wider than /24', { networks: ['2000::/23'] }, ['networks[0]']],
    ['a network twice, in two spellings', { networks: ['192.0.2.1', '192.0.2.1/32'] }, ['networks[1]']],
    ['an unknown header', { header: 'forwarded' }, ['header']],
    ['neither header nor PROXY protocol', { header: null }, ['header']],
    ['a chain of another header', { header: 'x-real-ip', chain: true }, ['chain']],
    ['a chain without a header', { header: null, proxy_protocol: true, chain: true }, ['chain']],
    ['an unknown action', { on_invalid: 'ignore' }, ['on_invalid']],
    [
      'an action without a header',
      { header: null, proxy_protocol: true, on_invalid: 'judge_upstream' },
      ['on_invalid'],
    ],
  ])('is refused with %s', (_what, given, names) => {
    expect(problems(given)).toEqual(names);
  });

  it('is accepted with the widest networks', () => {
    expect(problems({ networks: ['10.64.0.0/10', '2001:d00::/24'] })).toEqual([]);
  });

  it('has the value of its header in the map, and its networks in the other if it speaks PROXY protocol', () => {
    const all = [
      parsed({ chain: true, proxy_protocol: true }),
      parsed({ networks: ['2001:db8::/32'], header: 'cf-connecting-ip', on_invalid: 'judge_upstream' }, 'cdn'),
      parsed({ networks: ['192.0.2.1'], header: null, proxy_protocol: true }, 'hop'),
    ];
    const { upstreams, proxyProtocol } = upstreamValues(all);
    expect(Object.fromEntries(upstreams)).toEqual({ '10.0.3.0/24': '1', '2001:db8::/32': '23', '192.0.2.1': '9' });
    expect([...proxyProtocol.keys()]).toEqual(['10.0.3.0/24', '192.0.2.1']);
  });

  it.each([
    [['192.0.2.1'], '1'],
    [['10.0.3.0/24', '192.0.2.0/25'], '384'],
    [['2001:db8::/32'], '2^96'],
  ])('%s are %s addresses', (networks, text) => {
    expect(addressesIn(parsed({ networks }).networks)).toBe(text);
  });
});

describe('the presets', () => {
  it.each(presetNames)('%s is a valid upstream', (name) => {
    const { networks, header } = upstreamPresets[name];
    expect(parsed({ networks, header: header ?? 'x-real-ip' }, name).networks.map(({ text }) => text)).toEqual(
      networks,
    );
  });

  it('name the CDN of an address', () => {
    const of = (text: string) => knownCdn(parsed({ networks: [text] }).networks[0]!);
    expect([of('104.16.0.1'), of('172.64.0.0/14'), of('2a04:4e42::1'), of('8.8.8.8'), of('104.0.0.0/10')]).toEqual([
      'cloudflare',
      'cloudflare',
      'fastly',
      null,
      null,
    ]);
  });
});
