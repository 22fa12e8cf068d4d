import { isIPv6 } from 'node:net';
import {
  holdsEveryIpv4,
  type IpEntry,
  type IpWords,
  ipv4Entry,
  ipv6Entry,
  isMapped,
  maskWord,
  networkWords,
  sameWords,
} from './ip-entry.ts';
import { explainRefusal } from './ip-refusal.ts';
import { readIpv4, readIpv6, readPrefix } from './ip-text.ts';
import { quote } from './quote.ts';

export { addressEntry, compareWords, type IpEntry, type IpWords, isAddress, isMapped } from './ip-entry.ts';
export {
  compareEntries,
  containingNetworks,
  covers,
  entryOfShortKey,
  entryOfSortKey,
  lookupForms,
  shortKey,
  shortKeyOfWords,
  sortKey,
  sortKeyOfWords,
  sortKeyRange,
} from './ip-order.ts';

type IpParse =
  | { readonly ok: true; readonly entry: IpEntry }
  /** `meant`: the network of a text that is valid except for its host bits. */
  | { readonly ok: false; readonly why: string; readonly meant?: IpEntry };

/** `0000:0000:0000:0000:0000:ffff:255.255.255.255/128` */
const LONGEST_TEXT = 49;

/**
 * The parser of all addresses from outside: returns one canonical entry, or why the text is refused. Never throws.
 *
 * Accepts IPv4 and IPv6 addresses and networks without host bits. `::ffff:a.b.c.d` becomes IPv4, a /32 or /128 the plain
 * address, IPv6 the text of RFC 5952. Refuses text that HAProxy would read differently than a person, and networks that
 * would block every client of a family.
 */
export function parseIp(text: string): IpParse {
  if (text.length > LONGEST_TEXT) return refuse(explainRefusal(text));
  const slash = text.indexOf('/');
  const end = slash < 0 ? text.length : slash;
  const ipv4 = readIpv4(text, 0, end);
  if (ipv4 >= 0) return parseIpv4(text, ipv4, slash);

  const address = slash < 0 ? text : text.slice(0, slash);
  if (!isIPv6(address) || address.includes('%')) return refuse(explainRefusal(text));
  return parseIpv6(text, address, slash);
}

/** The words of an IPv6 text of a single address, as `parseIp`, but without its canonical text. Null for any other text. */
export function readIpv6Words(text: string): IpWords | null {
  return isIPv6(text) && !text.includes('%') ? readIpv6(text) : null;
}

function parseIpv4(text: string, address: number, slash: number): IpParse {
  if (slash < 0) return { ok: true, entry: ipv4Entry(address, 32, text) };
  const prefix = readPrefix(text, slash + 1, 32);
  if (prefix < 0) return refuse(explainPrefix(text, 32));
  if (prefix === 0)
    return refuse(`${quote(text)} covers every IPv4 address, which is not allowed; give narrower networks`);
  if ((address & ~maskWord(prefix)) !== 0) {
    return refuseHostBits(text, ipv4Entry((address & maskWord(prefix)) >>> 0, prefix));
  }
  return { ok: true, entry: ipv4Entry(address, prefix, prefix === 32 ? text.slice(0, slash) : text) };
}

function parseIpv6(text: string, address: string, slash: number): IpParse {
  const prefix = slash < 0 ? 128 : readPrefix(text, slash + 1, 128);
  if (prefix < 0) return refuse(explainPrefix(text, 128));
  if (prefix === 0) return refuse(`${quote(text)} covers every address, which is not allowed; give narrower networks`);
  const words = readIpv6(address);
  const network = networkWords(words, prefix);
  if (holdsEveryIpv4(network, prefix)) {
    const why = 'contains ::ffff:0:0/96, in which HAProxy looks up IPv4 clients too, so it would match all of them';
    return refuse(`${quote(text)} ${why}; give narrower networks`);
  }
  const entry = isMapped(words) && prefix > 96 ? ipv4Entry(network[3], prefix - 96) : ipv6Entry(network, prefix);
  return sameWords(words, network) ? { ok: true, entry } : refuseHostBits(text, entry);
}

/** The line of a blocked or trusted map for a canonical address, without its newline (rule 3). */
export function mapLine(canonical: string): string {
  return `${canonical} 1`;
}

function explainPrefix(text: string, longest: number): string {
  return `${quote(text)} has an invalid prefix length; write a number from 1 to ${longest} after the slash, without leading zeros`;
}

function refuseHostBits(text: string, network: IpEntry): IpParse {
  return { ok: false, why: `${quote(text)} has host bits set; did you mean ${network.text}?`, meant: network };
}

function refuse(why: string): IpParse {
  return { ok: false, why };
}
