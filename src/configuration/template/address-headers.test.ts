import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseCount } from '../../../testkit/proxies.ts';
import { testSeed } from '../../../testkit/seed.ts';
import { singleHeaderModes } from '../../domain/upstream-modes.ts';
import { type ClaimedHeaders, claimedDirectly, claimedThroughUpstreams } from './address-headers.ts';

const removes =
  ({ pattern, parts }: ClaimedHeaders) =>
  (name: string) =>
    parts.split(' ').some((part) => name.includes(part)) && new RegExp(pattern).test(name);
const isDirect = new RegExp(claimedDirectly.pattern);
const isThroughUpstreams = new RegExp(claimedThroughUpstreams.pattern);
const direct = removes(claimedDirectly);
const throughUpstreams = (name: string) =>
  removes(claimedThroughUpstreams)(name) || name.startsWith('forwarded') || name === 'client-ip';

const single = Object.keys(singleHeaderModes);
const forwarded = ['for', 'host', 'port', 'proto', 'server', 'prefix', 'by', 'scheme', 'ssl'].map(
  (what) => `x-forwarded-${what}`,
);
// Those that libraries for the address of the client read (request-ip, django-ipware, Rails, PHP), and Cloudflare's.
const preferred = [
  'forwarded',
  'forwarded-for',
  'x-original-forwarded-for',
  'client-ip',
  'x-client-ip',
  'x-clientip',
  'x-original-client-ip',
  'x-cluster-client-ip',
  'x-remote-ip',
  'x-remote-addr',
  'x-originating-ip',
  'x-proxyuser-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'x-envoy-external-address',
  'cloudfront-viewer-address',
];
// Of CDNs and hosts, which only servers behind them read.
const others = [
  'x-forwarded',
  'x-vercel-forwarded-for',
  'forward-for',
  'x-forward-for',
  'x-azure-clientip',
  'fly-client-ip',
  'do-connecting-ip',
  'x-appengine-user-ip',
  'ali-cdn-real-ip',
  'remote-addr',
  'x-real-addr',
  'real-ip',
  'x-realip',
];

/** Each hyphen replaced, one at a time and all at once. */
function spellings(name: string, marks: readonly string[]): string[] {
  const places = [...name].flatMap((character, index) => (character === '-' ? [index] : []));
  if (places.length === 0) return [];
  return marks.flatMap((mark) => [
    name.replaceAll('-', mark),
    ...places.map((index) => name.slice(0, index) + mark + name.slice(index + 1)),
  ]);
}

describe('headers about the client', () => {
  test('from a peer that is no upstream are removed in every spelling', () => {
    const names = [...forwarded, ...single, ...preferred, ...others];
    const spelled = names.flatMap((name) => [name, ...spellings(name, ['_', '.', '!'])]);
    expect(spelled.filter((name) => !direct(name))).toEqual([]);
  });

  test('from an upstream are removed, except those that it sets itself', () => {
    expect([...forwarded, ...single].filter(throughUpstreams)).toEqual([]);
    const spelledOtherwise = [...preferred, ...single, ...forwarded].flatMap((name) => spellings(name, ['_', '.']));
    expect([...preferred, ...spelledOtherwise].filter((name) => !throughUpstreams(name))).toEqual([]);
  });

  test('have one pattern for upstreams, which leaves only those in which they speak', () => {
    const words = [
      'x',
      'cf',
      'true',
      'fastly',
      'real',
      'client',
      'connecting',
      'forwarded',
      'for',
      'ip',
      'e',
      'ey',
      'y',
    ];
    const name = fc
      .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom('-', '-', '-', '_', '')), {
        minLength: 1,
        maxLength: 5,
      })
      .map((parts) => parts.flat().join('').replace(/[-_]$/, ''));
    const spoken = /^x-forwarded(-[a-z0-9]+)+$/;
    fc.assert(
      fc.property(name, (one) => {
        const isPair = /forwarded.*forwarded|-ip$|(client|real)ip$/.test(one);
        const isSpoken = single.includes(one) || (spoken.test(one) && !isPair);
        expect(isThroughUpstreams.test(one)).toBe(isDirect.test(one) && !isSpoken);
      }),
      { numRuns: caseCount(20_000), seed: testSeed },
    );
  });

  test('are the only ones that are removed', () => {
    // biome-ignore format: a list
    const usual = [
      'host', 'user-agent', 'accept', 'accept-language', 'cookie', 'authorization', 'content-type', 'content-length',
      'referer', 'origin', 'upgrade', 'connection', 'via', 'x-requested-with', 'x-csrf-token', 'x-request-id', 'client',
      'x-client-id', 'x-client-version', 'x-real-name', 'sec-websocket-key', 'cf-ray', 'cf-ipcountry', 'traceparent',
      'x_api_key', 'x-user', 'zip', 'x-vip', 'x.vip', 'cf-ipcountry', 'x-ip-country', 'x-membership', 'x-original-url', 'x-billing-address',
    ];
    expect(usual.filter((name) => direct(name) || throughUpstreams(name))).toEqual([]);
  });

  test('have parts that a usual request does not have, so that it does not pay for the regular expression', () => {
    // biome-ignore format: a list
    const ofBrowsers = [
      'host', 'user-agent', 'accept', 'accept-language', 'accept-encoding', 'referer', 'cookie', 'connection', 'origin',
      'upgrade-insecure-requests', 'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-user', 'priority',
      'cache-control', 'pragma', 'content-type', 'content-length', 'authorization', 'if-none-match', 'if-modified-since',
      'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform', 'x-requested-with', 'range', 'te', 'dnt',
    ];
    const ofUpstreams = [...forwarded, ...single, 'cf-ray', 'cf-visitor', 'cdn-loop', 'via'];
    const costly = (names: readonly string[], { parts }: ClaimedHeaders) =>
      names.filter((name) => parts.split(' ').some((part) => name.includes(part)));
    expect(costly(ofBrowsers, claimedDirectly)).toEqual([]);
    expect(costly([...ofBrowsers, ...ofUpstreams], claimedThroughUpstreams)).toEqual([]);
  });
});
