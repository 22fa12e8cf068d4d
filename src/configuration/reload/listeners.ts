import { createServer } from 'node:net';
import { configLines } from '../rules/config-lines.ts';

/** One TCP address of a `bind` line. `host` as for `node:net`: no brackets, wildcards written out. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
  readonly text: string;
  /** False for an IPv6 wildcard that also accepts IPv4. */
  readonly ipv6Only: boolean;
}

/** `EADDRINUSE` means that another process listens there. */
interface RefusedAddress {
  readonly address: BindAddress;
  readonly code: string;
}

/** Further ports of a range are left to HAProxy's own check. */
const longestPortRange = 64;

/**
 * The TCP addresses of every `bind` line. Omits Unix, abstract, inherited (`fd@`) and UDP (`quic4@`) listeners, and
 * what depends on environment variables.
 */
export function bindAddresses(configText: string): BindAddress[] {
  const found = new Map<string, BindAddress>();
  for (const { words } of configLines(configText)) {
    if (words[0] !== 'bind' || words[1] === undefined) continue;
    const v6only = words.includes('v6only');
    for (const text of words[1].split(',')) {
      for (const address of parseBind(text, v6only)) found.set(`${address.host} ${address.port}`, address);
    }
  }
  return [...found.values()];
}

/**
 * Whether `bind` lines with or without TLS name each of these addresses, as the settings write them. `any:80` counts as
 * `:80`: whether it is `[::]:80` too depends on the machine.
 */
export function namesAddresses(configText: string, addresses: readonly string[], { tls }: { tls: boolean }): boolean {
  const named = new Set<string>();
  for (const { words } of configLines(configText)) {
    if (words[0] !== 'bind' || words[1] === undefined || words.includes('ssl') !== tls) continue;
    for (const address of words[1].split(',')) named.add(address);
  }
  return addresses.every((address) => named.has(address.replace(/^any:/, ':')));
}

function parseBind(text: string, v6only: boolean): BindAddress[] {
  const family = /^(ipv4|ipv6|tcp|tcp4|tcp6)@/.exec(text)?.[1];
  const rest = family === undefined ? text : text.slice(family.length + 1);
  if (rest.startsWith('/') || rest.includes('@') || rest.includes('$')) return [];
  const parts = /^(.*):(\d{1,5})(?:-(\d{1,5}))?$/.exec(rest);
  if (parts === null) return [];
  const host = (parts[1] ?? '').replace(/^\[(.*)\]$/, '$1');
  const first = Number(parts[2]);
  const last = Math.min(Number(parts[3] ?? parts[2]), first + longestPortRange - 1, 65_535);
  const wildcard = family?.endsWith('6') ? '::' : '0.0.0.0';
  const addresses: BindAddress[] = [];
  for (let port = first; port <= last; port++) {
    addresses.push({ host: host === '' || host === '*' ? wildcard : host, port, text, ipv6Only: v6only });
  }
  return addresses;
}

/**
 * Binds each address exclusively, one after the other, and returns the refused ones. Needed before a start: HAProxy
 * sets SO_REUSEPORT, so a second master on the same port starts without an error and receives half of the requests.
 * The socket used here does not set it, so its bind fails if any process listens there.
 */
export async function tryBind(addresses: readonly BindAddress[]): Promise<RefusedAddress[]> {
  const refused: RefusedAddress[] = [];
  for (const address of addresses) {
    const code = await refusalOf(address);
    if (code !== null) refused.push({ address, code });
  }
  return refused;
}

export async function takenAddresses(configText: string): Promise<string[]> {
  const refused = await tryBind(bindAddresses(configText));
  return refused.filter(({ code }) => code === 'EADDRINUSE').map(({ address }) => address.text);
}

function refusalOf({ host, port, ipv6Only }: BindAddress): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true, ipv6Only }, () => server.close(() => resolve(null)));
  });
}
