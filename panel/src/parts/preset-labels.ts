import type { PresetName } from '../../../src/domain/upstream-presets.ts';

export const presetLabels: Readonly<Record<PresetName, string>> = {
  cloudflare: 'Cloudflare',
  fastly: 'Fastly',
  cloudfront: 'CloudFront',
};
