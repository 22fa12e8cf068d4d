// Whether trusting the address of a client trusts that client. Through a tunnel or a proxy every client has the address of
// its end: trusted, nobody could be blocked any more.
import type { IncomingHttpHeaders } from 'node:http';
import { networkInterfaces } from 'node:os';
import { covers, type IpEntry, parseIp } from '../domain/ip.ts';

const loopback = ['127.0.0.0/8', '::1'].map(entryOf);
/** What a proxy adds to a request. */
const relayed = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'] as const;

/**
 * The address as text; null where others come from it too, as far as can be known here: loopback, an address of this
 * machine, a request that a proxy has passed on. NAT cannot be seen.
 * @param own addresses of this machine; canonical or not
 */
export function trustableAddress(
  client: IpEntry,
  headers: IncomingHttpHeaders,
  own: readonly string[] = ownAddresses(),
): string | null {
  if (relayed.some((name) => headers[name] !== undefined)) return null;
  const machine = own.map((text) => parseIp(text)).flatMap((parsed) => (parsed.ok ? [parsed.entry] : []));
  return [...loopback, ...machine].some((entry) => covers(entry, client)) ? null : client.text;
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}

function entryOf(text: string): IpEntry {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.why}`);
  return parsed.entry;
}
