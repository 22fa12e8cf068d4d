import { describe, expect, it } from 'vitest';
import type { UpstreamRequest } from '../api/upstreams.ts';
import { ServiceError } from '../errors/service-error.ts';
import { readUpstream } from './upstream-request.ts';

function rejected(body: UpstreamRequest) {
  try {
    return readUpstream('cdn', body);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.code, fields: error.fields };
  }
}

describe('a preset', () => {
  it('decides the header', () => {
    expect(readUpstream('cdn', { preset: 'cloudflare' })).toMatchObject({
      header: 'cf-connecting-ip',
      preset: 'cloudflare',
    });
    expect(rejected({ preset: 'cloudflare', header: 'x-real-ip' })).toMatchObject({
      code: 109,
      fields: [{ name: 'header', description: expect.stringContaining('the preset cloudflare decides it') }],
    });
  });

  it.each([{}, { header: null }, { header: null, proxy_protocol: true }])(
    'of a CDN that believes its clients has no default header (%j)',
    (given) => {
      expect(rejected({ preset: 'fastly', ...given })).toMatchObject({
        code: 109,
        fields: [{ name: 'header', description: expect.stringMatching(/as its client sent them.*set one.*first/) }],
      });
    },
  );

  it('takes the header that the operator gives for such a CDN', () => {
    expect(readUpstream('cdn', { preset: 'fastly', header: 'fastly-client-ip' })).toMatchObject({
      preset: 'fastly',
      header: 'fastly-client-ip',
      networks: undefined,
    });
    expect(rejected({ preset: 'fastly', header: 'x-forwarded-for', chain: true })).toMatchObject({
      fields: [{ name: 'chain' }],
    });
  });
});
