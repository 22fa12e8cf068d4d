// From where the one who types is connected: blocking that address, or a network that holds it, would lock them out of
// what stands behind the proxy.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { covers, type IpEntry, parseIp } from '../../domain/ip.ts';
import type { ServiceAddress } from './service-url.ts';

export interface OwnAddress {
  readonly entry: IpEntry;
  /** `the address of your SSH session`. */
  readonly what: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** More parents than any login has. */
const mostParents = 32;

/**
 * The addresses that the one at the keyboard comes from, as far as can be told here: the SSH session's other end, and
 * this machine's address on the way to a service that is somewhere else.
 */
export async function ownAddresses(environment: Environment, service: ServiceAddress): Promise<OwnAddress[]> {
  const found: OwnAddress[] = [];
  const ssh = sshClient(environment) ?? (await sshClientOfParents(process.ppid));
  if (ssh !== null) found.push({ entry: ssh, what: 'the address of your SSH session' });
  const local = await addressTowards(service);
  if (local !== null) found.push({ entry: local, what: 'the address from which you reach the service' });
  return found;
}

/** The first of them that a block of `entry` would take in; null: none. */
export function takenIn(entry: IpEntry, own: readonly OwnAddress[]): OwnAddress | null {
  return own.find((address) => covers(entry, address.entry)) ?? null;
}

/** `SSH_CONNECTION="198.51.100.7 51022 192.0.2.1 22"`, `SSH_CLIENT="198.51.100.7 51022 22"`. */
export function sshClient(environment: Environment): IpEntry | null {
  for (const name of ['SSH_CONNECTION', 'SSH_CLIENT']) {
    const [text = ''] = (environment[name] ?? '').split(' ');
    // The zone of a link-local address is of no use to the proxy.
    const ip = parseIp(text.replace(/%.*$/, ''));
    if (ip.ok) return ip.entry;
  }
  return null;
}

/** `sudo` takes the variables away; the shells above it have them still. */
async function sshClientOfParents(parent: number): Promise<IpEntry | null> {
  let pid = parent;
  for (let depth = 0; depth < mostParents && pid > 1; depth += 1) {
    const ip = sshClient(await environmentOf(pid));
    if (ip !== null) return ip;
    pid = await parentOf(pid);
  }
  return null;
}

async function environmentOf(pid: number): Promise<Record<string, string>> {
  const text = await readProc(`/proc/${pid}/environ`);
  return Object.fromEntries(
    text.split('\0').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

/** 0: it is gone. */
async function parentOf(pid: number): Promise<number> {
  const text = await readProc(`/proc/${pid}/stat`);
  // `1234 (a name) S 1 …`: the name may hold blanks and parentheses.
  const parent = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  return Number.isInteger(parent) ? parent : 0;
}

/** What belongs to another user, or is gone, tells nothing. */
async function readProc(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

/** This machine's address on the way there; null: it is this machine, or there is no way. No packet is sent. */
async function addressTowards(service: ServiceAddress): Promise<IpEntry | null> {
  if (service.kind === 'unix' || isLoopback(service.host)) return null;
  const socket = createSocket(isIP(service.host) === 6 ? 'udp6' : 'udp4');
  try {
    const connected = once(socket, 'connect');
    socket.connect(service.port, service.host);
    await connected;
    const ip = parseIp(socket.address().address);
    return ip.ok && !isLoopback(ip.entry.text) ? ip.entry : null;
  } catch {
    // No way there, or no such name: the call that follows says so.
    return null;
  } finally {
    socket.close();
  }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
