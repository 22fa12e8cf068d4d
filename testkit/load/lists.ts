// Generated lists (distinct, public-looking, unordered, the same in every run), or a file.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type IpEntry, parseIp } from '../../src/domain/ip.ts';
import { sortKey } from '../../src/domain/ip-order.ts';

/** Small enough for another process, which generates the same list. */
export type ListSource =
  | { readonly kind: 'ipv4' | 'mixed'; readonly entries: number }
  | { readonly kind: 'file'; readonly path: string };

const firstOctets = Array.from({ length: 223 }, (_, index) => index + 1).filter((octet) => ![10, 127].includes(octet));
const addresses = firstOctets.length * 2 ** 24;
/** A prime that does not divide `addresses`: its multiples meet every address once, never neighbours together. */
const stride = 1_000_000_007;

/** Below 9,000,000 the product stays exact. */
function numberOf(index: number): number {
  const place = (index * stride) % addresses;
  return firstOctets[Math.floor(place / 2 ** 24)]! * 2 ** 24 + (place % 2 ** 24);
}

function dotted(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

/** Never the same for two indices. */
export function address(index: number): string {
  return dotted(numberOf(index));
}

/** Of ten: six IPv4 addresses, two IPv4 networks, an IPv6 address, an IPv6 network. */
export function mixedEntry(index: number): string {
  const value = numberOf(index);
  const kind = index % 10;
  if (kind < 6) return dotted(value);
  if (kind < 8) {
    const prefix = 29 + (index % 3);
    return `${dotted((value & (-1 << (32 - prefix))) >>> 0)}/${prefix}`;
  }
  const words = `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
  return canonical(kind === 8 ? `2a00:${words}::1` : `2a01:${words}::/${48 + (index % 3) * 8}`);
}

export function* batches(entries: number, size = 5_000): Iterable<string[]> {
  for (let start = 0; start < entries; start += size) {
    yield Array.from({ length: Math.min(size, entries - start) }, (_, offset) => address(start + offset));
  }
}

/** Never in a generated list. */
export function spare(index: number): string {
  return `241.${(index >>> 16) & 255}.${(index >>> 8) & 255}.${index & 255}`;
}

/** Throws if a file cannot be read, or has an invalid line. */
export function listOf(source: ListSource): string[] {
  if (source.kind === 'file') return readList(source.path);
  const make = source.kind === 'ipv4' ? address : mixedEntry;
  return Array.from({ length: source.entries }, (_, index) => make(index));
}

/** One entry a line, `.gz` or plain; each once, in canonical form. */
function readList(path: string): string[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const found = new Set<string>();
  for (const line of text.split('\n')) {
    const word = line.replace(/[#;].*/, '').trim();
    if (word !== '') found.add(canonical(word, ` in ${path}`));
  }
  if (found.size === 0) throw new Error(`${path} holds no address`);
  return [...found];
}

function canonical(text: string, where = ''): string {
  return entryOf(text, where).text;
}

function entryOf(text: string, where = ''): IpEntry {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(text)}${where}: ${parsed.why}`);
  return parsed.entry;
}

/** By number, wider networks first: the fastest order for HAProxy's tree. */
export function inNumericOrder(ips: readonly string[]): string[] {
  return ips
    .map((ip) => ({ ip, key: sortKey(entryOf(ip)).toString('latin1') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ ip }) => ip);
}

/** By text: the fastest order for an index over the text. */
export function inTextOrder(ips: readonly string[]): string[] {
  return [...ips].sort();
}
