// Blocking the user's own address would lock the user out.
import { once } from 'node:events';
import { isIP } from 'node:net';
import { covers, type IpEntry, parseIp } from '../../domain/ip.ts';
import { isLoopback } from '../../domain/loopback.ts';
import { environment as environmentOf, parentOf } from '../../system/processes.ts';
import type { ServiceAddress } from './service-url.ts';

export interface OwnAddress {
  readonly entry: IpEntry;
  readonly what: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const maxParents = 32;

/** The client of the SSH session, and this machine's address on the route to a remote service. */
export async function ownAddresses(environment: Environment, service: ServiceAddress): Promise<OwnAddress[]> {
  const found: OwnAddress[] = [];
  const ssh = sshClient(environment) ?? (await sshClientOfParents(process.ppid));
  if (ssh !== null) found.push({ entry: ssh, what: 'the address of your SSH session' });
  const local = await addressTowards(service);
  if (local !== null) found.push({ entry: local, what: 'the address from which you reach the service' });
  return found;
}

/** The first own address that a block of `entry` would cover. */
export function coveredOwnAddress(entry: IpEntry, own: readonly OwnAddress[]): OwnAddress | null {
  return own.find((address) => covers(entry, address.entry)) ?? null;
}

/** `SSH_CONNECTION="198.51.100.7 51022 192.0.2.1 22"`, `SSH_CLIENT="198.51.100.7 51022 22"`. */
export function sshClient(environment: Environment): IpEntry | null {
  for (const name of ['SSH_CONNECTION', 'SSH_CLIENT']) {
    const value = environment[name];
    if (value === undefined) continue;
    const [text = ''] = value.split(' ');
    // Without the zone of a link-local address.
    const ip = parseIp(text.replace(/%.*$/, ''));
    if (ip.ok) return ip.entry;
  }
  return null;
}

/** `sudo` removes the variables; the shells that started it still have them. */
async function sshClientOfParents(parent: number): Promise<IpEntry | null> {
  let pid = parent;
  for (let depth = 0; depth < maxParents && pid > 1; depth += 1) {
    const pairs = (await environmentOf(pid)) ?? [];
    const ip = sshClient(Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s, 2))));
    if (ip !== null) return ip;
    pid = parentOf(pid) ?? 0;
  }
  return null;
}

/** Null if the service is local or there is no route. Sends no packet. */
async function addressTowards(service: ServiceAddress): Promise<IpEntry | null> {
  if (service.kind === 'unix' || isLoopback(service.host)) return null;
  const { createSocket } = await import('node:dgram');
  const socket = createSocket(isIP(service.host) === 6 ? 'udp6' : 'udp4');
  try {
    const connected = once(socket, 'connect');
    socket.connect(service.port, service.host);
    await connected;
    const ip = parseIp(socket.address().address);
    return ip.ok && !isLoopback(ip.entry.text) ? ip.entry : null;
  } catch {
    // No route or no such name: the call that follows reports it.
    return null;
  } finally {
    socket.close();
  }
}
