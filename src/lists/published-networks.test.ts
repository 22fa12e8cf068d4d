import { describe, expect, it } from 'vitest';
import { publishedNetworks } from './published-networks.ts';

describe('the networks that a CDN publishes', () => {
  it.each([
    ['lines', '173.245.48.0/20\n# a comment\n\n103.21.244.0/22 ; x\r\n173.245.48.0/20'],
    ['a list', '["173.245.48.0/20", "103.21.244.0/22"]'],
    ['the form of Fastly', '{"addresses":["173.245.48.0/20"],"ipv6_addresses":["103.21.244.0/22"]}'],
    [
      'the form of AWS',
      JSON.stringify({
        prefixes: [
          { ip_prefix: '173.245.48.0/20', service: 'CLOUDFRONT_ORIGIN_FACING' },
          { ip_prefix: '3.0.0.0/8', service: 'EC2' },
        ],
        ipv6_prefixes: [{ ipv6_prefix: '103.21.244.0/22', service: 'CLOUDFRONT_ORIGIN_FACING' }],
      }),
    ],
  ])('are read from %s', (_what, text) => {
    expect(publishedNetworks(text)).toEqual(['173.245.48.0/20', '103.21.244.0/22']);
  });

  it.each(['{}', '{"addresses":{}}', '[1]', '{"prefixes":[{"service":"CLOUDFRONT_ORIGIN_FACING"}]}', '{"addr'])(
    'are refused as %s',
    (text) => {
      expect(() => publishedNetworks(text)).toThrow();
    },
  );

  it('are none in an error page that is not JSON: its words are no networks', () => {
    expect(publishedNetworks('<!doctype html>\n<p>busy')).toEqual(['<!doctype', '<p>busy']);
  });
});
