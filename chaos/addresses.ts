// The addresses of the chaos program. All of them are loopback, so that a client can visit from each; those of version
// 6 are only asked about.
import { covers, type IpEntry, parseIp } from '../src/domain/ip.ts';
import type { Random } from './random.ts';

/** Visits all the time, and is never blocked. */
export const bystander = '127.0.0.9';
/** Never blocked either; holds a connection. */
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

/** Many addresses that no operation changes one by one, so that the set has a size. */
export const base: readonly string[] = Array.from({ length: 1_500 }, (_, n) => `127.55.${n >> 8}.${n & 255}`);

/** A small part of all addresses, so that operations of a round meet. */
export interface Pool {
  /** Single addresses and networks that are blocked and unblocked. */
  readonly entries: readonly string[];
  /** Those that are trusted and distrusted; they may be blocked as well. */
  readonly trusted: readonly string[];
  /** Never blocked, never trusted. */
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

/** The addresses from which one can visit to see what an entry does. */
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
