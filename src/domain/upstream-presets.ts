// CDNs whose header is known. None has a list of networks here: ADR 0065 says why.
import type { UpstreamHeader } from './upstream-modes.ts';

export const presetNames = ['cloudflare', 'fastly', 'cloudfront'] as const;
export type PresetName = (typeof presetNames)[number];

interface UpstreamPreset {
  readonly header: UpstreamHeader;
  /** Where the CDN publishes its networks. */
  readonly publishedAt: readonly string[];
}

/** None walks on: a worker of the CDN has an address inside its own networks, and left of it stands what it was sent. */
export const upstreamPresets: Readonly<Record<PresetName, UpstreamPreset>> = {
  cloudflare: {
    header: 'cf-connecting-ip',
    publishedAt: ['https://www.cloudflare.com/ips-v4', 'https://www.cloudflare.com/ips-v6'],
  },
  fastly: { header: 'fastly-client-ip', publishedAt: ['https://api.fastly.com/public-ip-list'] },
  cloudfront: { header: 'x-forwarded-for', publishedAt: ['https://ip-ranges.amazonaws.com/ip-ranges.json'] },
};
