import { describe, expect, test } from 'vitest';
import { singleHeaderModes } from '../../domain/upstream-modes.ts';
import { claimedDirectly, claimedThroughUpstreams } from './address-headers.ts';

const direct = new RegExp(claimedDirectly.pattern);
const throughUpstreams = new RegExp(claimedThroughUpstreams.pattern);

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
  'real-ip',
  'x-realip',
];

/** Each hyphen replaced, one at a time and all at once. */
function spellings(name: string): string[] {
  const places = [...name].flatMap((character, index) => (character === '-' ? [index] : []));
  return ['_', '.', '!'].flatMap((mark) => [
    name.replaceAll('-', mark),
    ...places.map((index) => name.slice(0, index) + mark + name.slice(index + 1)),
  ]);
}

describe('headers about the client', () => {
  test('from a peer that is no upstream are removed in every spelling', () => {
    const names = [...forwarded, ...single, ...others].flatMap((name) => [name, ...spellings(name)]);
    expect(names.filter((name) => !direct.test(name))).toEqual([]);
  });

  test('from an upstream are removed, except those that it sets itself', () => {
    expect([...forwarded, ...single].filter((name) => throughUpstreams.test(name))).toEqual([]);
    // `X-Forwarded-For_` is no spelling of another name.
    const spelledOtherwise = [...single, 'x-forwarded-for']
      .flatMap(spellings)
      .filter((name) => name !== 'x-forwarded-for');
    const names = [...others.flatMap((name) => [name, ...spellings(name)]), ...spelledOtherwise];
    expect(names.filter((name) => !throughUpstreams.test(name) && !name.startsWith('forwarded'))).toEqual([]);
  });

  test('are the only ones that are removed', () => {
    const usual = [
      'host', 'user-agent', 'accept', 'accept-language', 'cookie', 'authorization', 'content-type', 'content-length',
      'referer', 'origin', 'upgrade', 'connection', 'via', 'x-requested-with', 'x-csrf-token', 'x-request-id', 'client',
      'x-client-id', 'x-client-version', 'x-real-name', 'sec-websocket-key', 'cf-ray', 'cf-ipcountry', 'traceparent',
    ]; // biome-ignore format: a list
    expect(usual.filter((name) => direct.test(name) || throughUpstreams.test(name))).toEqual([]);
  });
});
