import { describe, expect, it } from 'vitest';
import { requestOf } from './upstream.ts';

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
