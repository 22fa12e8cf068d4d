import { describe, expect, it } from 'vitest';
import type { UpstreamAnswer } from '../../api/upstreams.ts';
import { addedLines, effectRemark, requestOf } from './upstream.ts';

describe('upstream add', () => {
  it('takes the header of a CDN that overwrites it', () => {
    expect(requestOf('cloudflare', [], {})).toEqual({ preset: 'cloudflare' });
  });

  it('requires --header for a CDN that passes on what its client sent', () => {
    expect(() => requestOf('fastly', [], {})).toThrow(
      /give --header: fastly passes on headers as its client sent them/,
    );
    expect(() => requestOf('fastly', ['192.0.2.0/24'], {})).toThrow(/give --header/);
    expect(requestOf('fastly', [], { header: 'fastly-client-ip' })).toEqual({
      preset: 'fastly',
      header: 'fastly-client-ip',
    });
  });
});

it('counts the addresses that can claim to act for any client', () => {
  const answer = (networks: readonly string[], addresses: string) =>
    ({ ...added, networks, addresses }) as unknown as UpstreamAnswer;
  expect(addedLines(answer(['10.0.5.7'], '1'))).toContain('1 address in 1 network can claim to act for any client');
  expect(addedLines(answer(['10.0.5.0/30', '2001:db8::/64'], '2^64'))).toContain(
    '2^64 addresses in 2 networks can claim to act for any client',
  );
});

it('says why upstreams are not in force', () => {
  expect(effectRemark({ in_force: true, reason: null })).toBeNull();
  expect(effectRemark({ in_force: false, reason: 'no map' })).toBe('not in force everywhere: no map');
  expect(effectRemark({ in_force: null, reason: 'unread' })).toBe('not known to be in force: unread');
});

const added = {
  name: 'front',
  preset: null,
  header: 'x-forwarded-for',
  chain: false,
  proxy_protocol: false,
  on_invalid: 'reject',
  blocked_inside: [],
  blocked_inside_total: 0,
  runtime_map_updated: true,
  runtime_map_failures: [],
  runtime_map_failures_total: 0,
  reload_scheduled: false,
};
