// Networks that are rarely intended: so wide that they block a large part of the internet, or ranges whose addresses belong
// to this machine, this network or a load balancer, not to a client on the public internet.
import { covers, type IpEntry, parseIp } from './ip.ts';

/** What the addresses of a special range are, in the words of the IANA registries. */
export const specialRanges = [
  'this-network',
  'private',
  'shared',
  'loopback',
  'link-local',
  'multicast',
  'unique-local',
] as const;
type SpecialRange = (typeof specialRanges)[number];

interface Range {
  readonly entry: IpEntry;
  readonly special: SpecialRange;
}

const rangesIpv4: readonly Range[] = [
  range('0.0.0.0/8', 'this-network'),
  range('10.0.0.0/8', 'private'),
  range('100.64.0.0/10', 'shared'),
  range('127.0.0.0/8', 'loopback'),
  range('169.254.0.0/16', 'link-local'),
  range('172.16.0.0/12', 'private'),
  range('192.168.0.0/16', 'private'),
  range('224.0.0.0/4', 'multicast'),
];
const rangesIpv6: readonly Range[] = [
  range('fc00::/7', 'unique-local'),
  range('fe80::/10', 'link-local'),
  range('ff00::/8', 'multicast'),
];

/** A shorter prefix is wide whatever it contains. */
const leastPrefix = { 4: 8, 6: 16 } as const;
/** The longest prefix of a special range: no narrower network contains one. */
const longestRange = { 4: 16, 6: 10 } as const;
/** First octets of special IPv4 ranges; used for every line of a list of millions. */
const firstOctets = new Uint8Array(256);
for (const { entry } of rangesIpv4) {
  const first = entry.words[3] >>> 24;
  const last = entry.prefix < 8 ? first + 2 ** (8 - entry.prefix) - 1 : first;
  firstOctets.fill(1, first, last + 1);
}

/** Why a network is wide: the special ranges that it contains completely; none if only its prefix is too short. */
interface Wideness {
  readonly contains: readonly string[];
}

/** Null: the entry is not wide, and may be blocked without a confirmation. */
export function widenessOf(entry: IpEntry): Wideness | null {
  const { family, prefix } = entry;
  if (prefix >= leastPrefix[family] && prefix > longestRange[family]) return null;
  const ranges = family === 4 ? rangesIpv4 : rangesIpv6;
  const contains = ranges.filter((one) => covers(entry, one.entry)).map((one) => one.entry.text);
  return prefix < leastPrefix[family] || contains.length > 0 ? { contains } : null;
}

/** The special range that contains the entire entry; null: none. */
export function specialOf(entry: IpEntry): SpecialRange | null {
  const { family, words } = entry;
  if (family === 4 ? firstOctets[words[3] >>> 24] === 0 : words[0] >>> 24 < 0xfc) return null;
  const ranges = family === 4 ? rangesIpv4 : rangesIpv6;
  return ranges.find((one) => covers(one.entry, entry))?.special ?? null;
}

/** `0.0.0.0/1 is wider than /8`, `10.0.0.0/8 contains all of 10.0.0.0/8`: the first part of a message. */
export function describeWideness(entry: IpEntry, { contains }: Wideness): string {
  const [own] = contains;
  if (own === entry.text) return `${entry.text} is an entire ${specialOf(entry)} range`;
  const least = leastPrefix[entry.family];
  const wide = entry.prefix < least ? [`is wider than /${least}`] : [];
  const holds = contains.length > 0 ? [`contains ${contains.join(', ')}`] : [];
  return `${entry.text} ${[...wide, ...holds].join(' and ')}`;
}

function range(text: string, special: SpecialRange): Range {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return { entry: parsed.entry, special };
}
