/** Four unsigned 32-bit words, most significant first: an IPv6 address, or an IPv4 one as `::ffff:a.b.c.d`. */
export type IpWords = readonly [number, number, number, number];

/** An IP address or network in the form that the database, the map file and the running map share. */
export interface IpEntry {
  /** Canonical text (RFC 5952 for IPv6); a plain address has no prefix. */
  readonly text: string;
  readonly family: 4 | 6;
  /** Prefix length within its family: 1..32 or 1..128; 32 or 128 for a plain address. */
  readonly prefix: number;
  /** The network's first address. */
  readonly words: IpWords;
}

/** The word that marks an IPv4 address inside an IPv6 one (`::ffff:0:0/96`, RFC 4291 2.5.5.2). */
const MAPPED_WORD = 0xffff;

export function ipv4Entry(address: number, prefix: number, text: string = ipv4Text(address, prefix)): IpEntry {
  return { text, family: 4, prefix, words: [0, 0, MAPPED_WORD, address] };
}

export function ipv6Entry(words: IpWords, prefix: number): IpEntry {
  return { text: ipv6Text(words, prefix), family: 6, prefix, words };
}

/** The single address with these words. */
export function addressEntry(words: IpWords): IpEntry {
  return isMapped(words) ? ipv4Entry(words[3], 32) : ipv6Entry(words, 128);
}

/** Whether it is a single address, not a network. */
export function isAddress({ family, prefix }: IpEntry): boolean {
  return prefix === (family === 4 ? 32 : 128);
}

/** The prefix length as one of IPv6, so that both families can be compared. */
export function prefixInIpv6Terms(entry: IpEntry): number {
  return entry.family === 4 ? entry.prefix + 96 : entry.prefix;
}

export function isMapped(words: IpWords): boolean {
  return words[0] === 0 && words[1] === 0 && words[2] === MAPPED_WORD;
}

/** A 32-bit mask with the first `length` bits set (limited to 0..32). */
export function maskWord(length: number): number {
  if (length <= 0) return 0;
  return length >= 32 ? 0xffffffff : (0xffffffff << (32 - length)) >>> 0;
}

/** The first address of the network of `prefix` bits (IPv6 terms) around `words`. */
export function networkWords(words: IpWords, prefix: number): IpWords {
  return [
    (words[0] & maskWord(prefix)) >>> 0,
    (words[1] & maskWord(prefix - 32)) >>> 0,
    (words[2] & maskWord(prefix - 64)) >>> 0,
    (words[3] & maskWord(prefix - 96)) >>> 0,
  ];
}

/** The last address of that network. */
export function lastWords(words: IpWords, prefix: number): IpWords {
  return [
    (words[0] | ~maskWord(prefix)) >>> 0,
    (words[1] | ~maskWord(prefix - 32)) >>> 0,
    (words[2] | ~maskWord(prefix - 64)) >>> 0,
    (words[3] | ~maskWord(prefix - 96)) >>> 0,
  ];
}

export function sameWords(a: IpWords, b: IpWords): boolean {
  return a[3] === b[3] && a[2] === b[2] && a[1] === b[1] && a[0] === b[0];
}

/** The order of addresses. */
export function compareWords(a: IpWords, b: IpWords): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3];
}

/**
 * Whether an IPv6 network contains all of `::ffff:0:0/96`. HAProxy (2.6, 3.0) looks up IPv4 sources there too, so such an
 * entry would match every IPv4 client.
 */
export function holdsEveryIpv4(words: IpWords, prefix: number): boolean {
  return prefix <= 96 && sameWords(networkWords([0, 0, MAPPED_WORD, 0], prefix), words);
}

function ipv4Text(address: number, prefix: number): string {
  const dotted = `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
  return prefix === 32 ? dotted : `${dotted}/${prefix}`;
}

/** RFC 5952, section 4: lower case, no leading zeros, `::` for the first longest run of two or more zero groups. */
function ipv6Text(words: IpWords, prefix: number): string {
  let bestStart = -1;
  let bestLength = 1;
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && group(words, start + length) === 0) length++;
    if (length > bestLength) {
      bestStart = start;
      bestLength = length;
    }
    start += length;
  }
  let text = '';
  for (let index = 0; index < 8; index++) {
    if (index === bestStart) {
      text += '::';
      index += bestLength - 1;
    } else {
      if (index > 0 && !text.endsWith(':')) text += ':';
      text += group(words, index).toString(16);
    }
  }
  return prefix === 128 ? text : `${text}/${prefix}`;
}

function group(words: IpWords, index: number): number {
  const word = words[index >> 1] as number;
  return index % 2 === 0 ? word >>> 16 : word & 0xffff;
}
