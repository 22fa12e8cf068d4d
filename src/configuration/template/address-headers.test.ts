import { describe, expect, test } from 'vitest';
import { singleHeaderModes } from '../../domain/upstream-modes.ts';
import { type ClaimedHeaders, claimedDirectly, claimedThroughUpstreams } from './address-headers.ts';

const removes =
  ({ pattern, parts }: ClaimedHeaders) =>
  (name: string) =>
    parts.split(' ').some((part) => name.includes(part)) && new RegExp(pattern).test(name);
const direct = removes(claimedDirectly);
const throughUpstreams = (name: string) =>
  removes(claimedThroughUpstreams)(name) || name.startsWith('forwarded') || name === 'client-ip';

const single = Object.keys(singleHeaderModes);
const forwarded = ['for', 'host', 'port', 'proto', 'server', 'prefix', 'by', 'scheme', 'ssl'].map(
  (what) => `x-forwarded-${what}`,
);
const preferred = [
  'forwarded',
  'forwarded-for',
  'x-original-forwarded-for',
  'client-ip',
  'x-client-ip',
  'x-clientip',
  'x-original-client-ip',
];
// Those that libraries for the address of the client read (request-ip, django-ipware, Rails), and those of CDNs.
const others = [
  'x-cluster-client-ip',
  'x-forwarded',
  'x-envoy-external-address',
  'x-azure-clientip',
  'fly-client-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'do-connecting-ip',
  'x-appengine-user-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'cloudfront-viewer-address',
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
    const spelledOtherwise = [...preferred, ...single, ...forwarded].flatMap((name) => spellings(name, ['_']));
    expect([...preferred, ...spelledOtherwise].filter((name) => !throughUpstreams(name))).toEqual([]);
  });

  test('are the only ones that are removed', () => {
    // biome-ignore format: a list
    const usual = [
      'host', 'user-agent', 'accept', 'accept-language', 'cookie', 'authorization', 'content-type', 'content-length',
      'referer', 'origin', 'upgrade', 'connection', 'via', 'x-requested-with', 'x-csrf-token', 'x-request-id', 'client',
      'x-client-id', 'x-client-version', 'x-real-name', 'sec-websocket-key', 'cf-ray', 'cf-ipcountry', 'traceparent',
      'x_api_key', 'x-user', 'zip', 'x-membership', 'x-original-url', 'x-billing-address',
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
