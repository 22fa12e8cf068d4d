// CDNs whose header is known. A list of networks is here only if two independent copies of what the CDN publishes were
// identical when it was taken (ADR 0065).
import { covers, type IpEntry, parseIp } from './ip.ts';
import type { UpstreamHeader } from './upstream-modes.ts';

export const presetNames = ['cloudflare', 'fastly', 'cloudfront'] as const;
export type PresetName = (typeof presetNames)[number];

interface UpstreamPreset {
  /** Null: without code of the operator at the CDN, a client could write each header that it sends. */
  readonly header: UpstreamHeader | null;
  /** Where the CDN publishes its networks. */
  readonly publishedAt: readonly string[];
  /** Empty: none is known for certain. */
  readonly networks: readonly string[];
}

/** The copy of 2026-02-11 and that of 2024-11-04. */
const cloudflareNetworks = [
  '103.21.244.0/22',
  '103.22.200.0/22',
  '103.31.4.0/22',
  '104.16.0.0/13',
  '104.24.0.0/14',
  '108.162.192.0/18',
  '131.0.72.0/22',
  '141.101.64.0/18',
  '162.158.0.0/15',
  '172.64.0.0/13',
  '173.245.48.0/20',
  '188.114.96.0/20',
  '190.93.240.0/20',
  '197.234.240.0/22',
  '198.41.128.0/17',
  '2400:cb00::/32',
  '2405:8100::/32',
  '2405:b500::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
];

/** The copy of 2026-10-14 and that of 2026-02-11. */
const fastlyNetworks = [
  '23.235.32.0/20',
  '43.249.72.0/22',
  '103.244.50.0/24',
  '103.245.222.0/23',
  '103.245.224.0/24',
  '104.156.80.0/20',
  '140.248.64.0/18',
  '140.248.128.0/17',
  '146.75.0.0/17',
  '151.101.0.0/16',
  '157.52.64.0/18',
  '167.82.0.0/17',
  '167.82.128.0/20',
  '167.82.160.0/20',
  '167.82.224.0/20',
  '172.111.64.0/18',
  '185.31.16.0/22',
  '199.27.72.0/21',
  '199.232.0.0/16',
  '2a04:4e40::/32',
  '2a04:4e42::/32',
];

/** None walks on: a worker of the CDN has an address inside its own networks, and left of it stands what it was sent. */
export const upstreamPresets: Readonly<Record<PresetName, UpstreamPreset>> = {
  cloudflare: {
    header: 'cf-connecting-ip',
    publishedAt: ['https://www.cloudflare.com/ips-v4', 'https://www.cloudflare.com/ips-v6'],
    networks: cloudflareNetworks,
  },
  fastly: {
    header: null,
    publishedAt: ['https://api.fastly.com/public-ip-list'],
    networks: fastlyNetworks,
  },
  cloudfront: {
    header: 'x-forwarded-for',
    publishedAt: ['https://ip-ranges.amazonaws.com/ip-ranges.json'],
    networks: [],
  },
};

const parsedNetworks = new Map<PresetName, readonly IpEntry[]>();

export function presetNetworks(preset: PresetName): readonly IpEntry[] {
  const known = parsedNetworks.get(preset) ?? upstreamPresets[preset].networks.map(networkOf);
  parsedNetworks.set(preset, known);
  return known;
}

interface CdnNetwork {
  readonly preset: PresetName;
  readonly network: IpEntry;
}

/** By the first number of the address: lists of a million entries are looked up. */
let byFirstNumber: ReadonlyMap<string, readonly CdnNetwork[]> | null = null;

/** The CDN that has all of it, by the lists above; null: none of these. */
export function knownCdn(entry: IpEntry): PresetName | null {
  byFirstNumber ??= Map.groupBy(
    presetNames.flatMap((preset) => presetNetworks(preset).map((network) => ({ preset, network }))),
    ({ network }) => firstNumber(network),
  );
  const candidates = byFirstNumber.get(firstNumber(entry)) ?? [];
  return candidates.find(({ network }) => covers(network, entry))?.preset ?? null;
}

/** Entries of a list that belong to a CDN. */
export interface CdnEntries {
  readonly cdn: PresetName;
  readonly entries: number;
  /** The first of them. */
  readonly example: string;
}

/** Those of several parts of a list, once for each CDN. */
export function sumByCdn(parts: readonly CdnEntries[]): CdnEntries[] {
  return [...Map.groupBy(parts, ({ cdn }) => cdn)].map(([cdn, some]) => ({
    cdn,
    entries: some.reduce((sum, { entries }) => sum + entries, 0),
    example: some[0]?.example ?? '',
  }));
}

function firstNumber({ text, family }: IpEntry): string {
  return text.slice(0, text.indexOf(family === 4 ? '.' : ':'));
}

function networkOf(text: string): IpEntry {
  const parsed = parseIp(text);
  if (!parsed.ok || parsed.entry.text !== text) throw new Error(`${text} is not a canonical network`);
  return parsed.entry;
}
