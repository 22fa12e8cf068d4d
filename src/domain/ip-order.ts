import {
  compareWords,
  holdsEveryIpv4,
  type IpEntry,
  type IpWords,
  ipv4Entry,
  ipv6Entry,
  isMapped,
  lastWords,
  maskWord,
  networkWords,
  prefixInIpv6Terms,
  sameWords,
} from './ip-entry.ts';

/**
 * 17 bytes whose memcmp order is the order of addresses, a wider network before those it contains: 16 bytes of address (IPv4
 * as `::ffff:a.b.c.d`), one of prefix in IPv6 terms.
 */
export function sortKey(entry: IpEntry): Buffer {
  return key(entry.words, prefixInIpv6Terms(entry));
}

/**
 * The same in fewer bytes, for a table of single addresses: 4 of an IPv4 address, 16 of an IPv6 address, one more of a
 * network. In memcmp order IPv4 is not at `::ffff:0:0/96`.
 */
export function shortKey(entry: IpEntry): Buffer {
  const prefix = prefixInIpv6Terms(entry);
  return key(entry.words, prefix).subarray(entry.family === 4 ? 12 : 0, prefix === 128 ? 16 : 17);
}

/** `sortKey` of a single address, without its text. */
export function sortKeyOfWords(words: IpWords): Buffer {
  return key(words, 128);
}

/** `shortKey` of a single address, without its text. */
export function shortKeyOfWords(words: IpWords): Buffer {
  return key(words, 128).subarray(isMapped(words) ? 12 : 0, 16);
}

/** The entry with this `shortKey`. @throws RangeError for another length */
export function entryOfShortKey(bytes: Uint8Array): IpEntry {
  const isIpv4 = bytes.length === 4 || bytes.length === 5;
  if (!isIpv4 && bytes.length !== 16 && bytes.length !== 17)
    throw new RangeError(`no address has a key of ${bytes.length} bytes`);
  const long = Buffer.alloc(17);
  long.fill(0xff, isIpv4 ? 10 : 17);
  long[16] = 128;
  long.set(bytes, isIpv4 ? 12 : 0);
  return entryOfSortKey(long);
}

/** The order of `sortKey`, without creating the keys. */
export function compareEntries(a: IpEntry, b: IpEntry): number {
  return compareWords(a.words, b.words) || prefixInIpv6Terms(a) - prefixInIpv6Terms(b);
}

/** The entry with the `sortKey` at `offset`; meaningless for any other bytes. */
export function entryOfSortKey(bytes: Uint8Array, offset = 0): IpEntry {
  const word = (at: number): number =>
    ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
  const words: IpWords = [word(offset), word(offset + 4), word(offset + 8), word(offset + 12)];
  const prefix = bytes[offset + 16]!;
  return isMapped(words) && prefix > 96 ? ipv4Entry(words[3], prefix - 96) : ipv6Entry(words, prefix);
}

/** `first <= key <= last` holds for the keys of all entries within `entry`, itself included. */
export function sortKeyRange(entry: IpEntry): { first: Buffer; last: Buffer } {
  const prefix = prefixInIpv6Terms(entry);
  return { first: key(entry.words, prefix), last: key(lastWords(entry.words, prefix), 128) };
}

function key(words: IpWords, prefix: number): Buffer {
  const bytes = Buffer.allocUnsafe(17);
  bytes.writeUInt32BE(words[0], 0);
  bytes.writeUInt32BE(words[1], 4);
  bytes.writeUInt32BE(words[2], 8);
  bytes.writeUInt32BE(words[3], 12);
  bytes[16] = prefix;
  return bytes;
}

/** The canonical texts of all networks that could cover `entry`, narrowest first, without `entry` itself. */
export function containingNetworks(entry: IpEntry): string[] {
  const texts: string[] = [];
  for (let prefix = entry.prefix - 1; prefix >= 1; prefix--) {
    if (entry.family === 4) {
      texts.push(ipv4Entry((entry.words[3] & maskWord(prefix)) >>> 0, prefix).text);
      continue;
    }
    const words = networkWords(entry.words, prefix);
    // The parser refuses this one and all wider ones.
    if (holdsEveryIpv4(words, prefix)) break;
    texts.push(ipv6Entry(words, prefix).text);
  }
  return texts;
}

/** Whether every address of `inner` is one of `outer`; true for equal entries too. */
export function covers(outer: IpEntry, inner: IpEntry): boolean {
  const prefix = prefixInIpv6Terms(outer);
  return prefix <= prefixInIpv6Terms(inner) && sameWords(networkWords(inner.words, prefix), outer.words);
}

/**
 * The entries with which HAProxy looks up such a source: itself and, for an IPv6 source that contains an IPv4 address, that
 * address. Measured on 2.6.12 and 3.0.11: besides `::ffff:a.b.c.d` (canonically IPv4 already) these are 6to4, 2002::/16
 * (RFC 3056), and the deprecated `::a.b.c.d`, ::1 included. A network within those gives the IPv4 network of its sources;
 * none if that would be all of IPv4.
 */
export function lookupForms(entry: IpEntry): IpEntry[] {
  if (entry.family === 4) return [entry];
  const [first, second, third, fourth] = entry.words;
  if (first >>> 16 === 0x2002 && entry.prefix > 16) {
    const address = ((first << 16) | (second >>> 16)) >>> 0;
    return [entry, ipv4Entry(address, Math.min(entry.prefix - 16, 32))];
  }
  if (first === 0 && second === 0 && third === 0 && entry.prefix > 96) {
    return [entry, ipv4Entry(fourth, entry.prefix - 96)];
  }
  return [entry];
}
