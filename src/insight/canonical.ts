// Of canonical texts of addresses and networks.
import { type IpEntry, parseIp, shortKey, sortKey } from '../domain/ip.ts';

/** @throws RangeError if it is none */
export function entryOf(text: string): IpEntry {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new RangeError(parsed.why);
  return parsed.entry;
}

export function keyOf(text: string): Buffer {
  return sortKey(entryOf(text));
}

export function shortKeyOf(text: string): Buffer {
  return shortKey(entryOf(text));
}
