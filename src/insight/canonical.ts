// Of canonical texts of addresses and networks.
import { type IpEntry, parseIp, shortKey, sortKey } from '../domain/ip.ts';

/** @throws RangeError if it is none */
export function canonicalEntry(text: string): IpEntry {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new RangeError(parsed.why);
  return parsed.entry;
}

export function keyOf(text: string): Buffer {
  return sortKey(canonicalEntry(text));
}

export function shortKeyOf(text: string): Buffer {
  return shortKey(canonicalEntry(text));
}

/** For a text that is kept: that of an entry is a chain of its parts, which takes half as much again. */
export function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
