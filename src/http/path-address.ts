import { type IpEntry, parseIp } from '../domain/ip.ts';
import { invalidAddress } from './refusals.ts';

/** The address of a path, decoded already (`10.0.0.0%2F8`). Errors: 101 with the parser's reason. */
export function pathAddress(text: string): IpEntry {
  const ip = parseIp(text);
  if (!ip.ok) throw invalidAddress(ip.why);
  return ip.entry;
}
