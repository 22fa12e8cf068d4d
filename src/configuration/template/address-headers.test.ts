import { describe, expect, test } from 'vitest';
import { singleHeaderModes } from '../../domain/upstream-modes.ts';
import { type ClaimedHeaders, claimedDirectly, claimedThroughUpstreams } from './address-headers.ts';

const removes =
  ({ pattern, parts }: ClaimedHeaders) =>
  (name: string) =>
    parts.split(' ').some((part) => name.includes(part)) && new RegExp(pattern).test(name);
const direct = removes(claimedDirectly);
const throughUpstreams = (name: string) =>
  removes(claimedThroughUpstreams)(name) || name.startsWith('forwarded') || name === 'x-forwarded';

const single = Object.keys(singleHeaderModes);
const forwarded = ['for', 'host', 'port', 'proto', 'server', 'prefix', 'by', 'scheme', 'ssl'].map(
  (what) => `x-forwarded-${what}`,
);
// Those that libraries for the address of the client read (request-ip, django-ipware, Rails), and those of CDNs.
const others = [
  'forwarded',
  'forwarded-for',
  'x-forwarded',
  'x-original-forwarded-for',
  'x-envoy-external-address',
  'client-ip',
  'x-client-ip',
  'x-clientip',
  'x-cluster-client-ip',
  'x-original-client-ip',
  'x-azure-clientip',
  'fly-client-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'do-connecting-ip',
  'x-appengine-user-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'cloudfront-viewer-address',
  'x-client_ip',
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
    const names = [...forwarded, ...single, ...others, 'real-ip'];
    const spelled = names.flatMap((name) => [name, ...spellings(name, ['_', '.', '!'])]);
    expect(spelled.filter((name) => !direct(name))).toEqual([]);
  });

  test('from an upstream are removed, except those that it sets itself', () => {
    expect([...forwarded, ...single].filter(throughUpstreams)).toEqual([]);
    const spelledOtherwise = [...others, ...single, 'x-forwarded-for'].flatMap((name) => spellings(name, ['_']));
    expect([...others, ...spelledOtherwise].filter((name) => !throughUpstreams(name))).toEqual([]);
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
});
