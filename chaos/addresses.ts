// Loopback, so that a client can visit from each; IPv6 addresses are only checked.
import { covers, type IpEntry, parseIp } from '../src/domain/ip.ts';
import type { Random } from './random.ts';

/** Visits all the time, never blocked. */
export const bystander = '127.0.0.9';
/** Never blocked; keeps a connection. */
export const keptBystander = '127.0.0.10';

const singles = 400;
const networks = 8;
const version6 = 24;
const trustable = 6;

const single = (n: number): string => `127.50.${n >> 4}.${1 + (n & 15)}`;
const network = (n: number): string => `127.51.${n}.0/29`;
const inNetwork = (n: number, host: number): string => `127.51.${n}.${host}`;
const six = (n: number): string => `2001:db8:c::${(n + 1).toString(16)}`;
const trusted = (n: number): string => `127.52.0.${n + 1}`;

export const isTrustable = (ip: string): boolean => ip.startsWith('127.52.');
/** Named by one operation alone, of all rounds on a stack. */
export const ownAddress = (round: number, n: number): string => `127.54.${round % 256}.${n % 256}`;

/** Never changed one by one: they give the set a size. */
export const base: readonly string[] = Array.from({ length: 1_500 }, (_, n) => `127.55.${n >> 8}.${n & 255}`);

/** Small, so that operations of a round overlap. */
export interface Pool {
  /** Blocked and unblocked. */
  readonly entries: readonly string[];
  /** Trusted and distrusted; may be blocked as well. */
  readonly trusted: readonly string[];
  readonly bystanders: readonly string[];
}

export function poolOf(random: Random): Pool {
  const some = (count: number, of: number, make: (n: number) => string): string[] =>
    Array.from({ length: count }, () => make(random.integer(0, of - 1)));
  const covering = random.integer(0, networks - 1);
  const entries = [
    ...some(14, singles, single),
    network(covering),
    ...some(2, 6, (n) => inNetwork(covering, n + 1)),
    ...some(3, version6, six),
  ];
  const trustables = some(2, trustable, trusted);
  return {
    entries: [...new Set([...entries, ...trustables])],
    trusted: [...new Set(trustables)],
    bystanders: some(4, 200, (n) => `127.53.0.${n + 1}`),
  };
}

/** The addresses that show the effect of an entry. */
export function visitorsOf(entry: string): string[] {
  if (entry.includes(':')) return [];
  if (!entry.endsWith('/29')) return [entry];
  const stem = entry.replace(/\d+\/29$/, '');
  return [`${stem}1`, `${stem}6`];
}

const parsed = new Map<string, IpEntry>();

function entryOf(text: string): IpEntry {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const result = parseIp(text);
  if (!result.ok) throw new Error(`${text} is no address`);
  parsed.set(text, result.entry);
  return result.entry;
}

export function isCoveredBy(ip: string, entry: string): boolean {
  return ip === entry || (entry.includes('/') && covers(entryOf(entry), entryOf(ip)));
}
