import { containingNetworks, covers, parseIp } from '../domain/ip.ts';
import { type LoudClient, type LoudClients, sampledOneIn } from './loud-clients.ts';

/** Complete minutes that are shown. */
const minutesShown = 10;

/** The /24 around a client, of IPv6 the /48, and how many loud clients are in it. @param address canonical */
export function clientsAround(clients: LoudClients, address: string): { network: string; clients_inside: number } {
  const parsed = parseIp(address);
  if (!parsed.ok) throw new RangeError(parsed.why);
  const suffix = parsed.entry.family === 4 ? '/24' : '/48';
  const network = containingNetworks(parsed.entry).find((text) => text.endsWith(suffix)) ?? address;
  const around = parseIp(network);
  let inside = 0;
  for (const { address: other } of clients.all()) {
    const one = parseIp(other);
    if (one.ok && around.ok && covers(around.entry, one.entry)) inside += 1;
  }
  return { network, clients_inside: inside };
}

/** Estimated requests of each of the last ten complete minutes, oldest first. */
export function minuteValues({ minutes }: Pick<LoudClient, 'minutes'>, at: number): number[] {
  const first = Math.floor(at / 60) - minutesShown;
  return Array.from({ length: minutesShown }, (_, index) => {
    const minute = minutes.find((one) => one.minute === first + index);
    return (minute?.requests ?? 0) * sampledOneIn;
  });
}
