import { isIP } from 'node:net';
import { hostNameFault, lowerAscii } from './host-name.ts';
import { parseIp } from './ip.ts';
import { type Parsed, parsed, refused } from './parsed.ts';
import { quote } from './quote.ts';
import type { ServerOptions } from './server-options.ts';

export { parseServerOptions, type ServerOptions } from './server-options.ts';

/** One upstream of a site. */
export interface SiteServer {
  /** A lower-case host name or a canonical IP address. */
  readonly address: string;
  readonly port: number;
  readonly options?: ServerOptions;
}

/** What the proxy serves under one name. */
export interface Site {
  /** A lower-case host name. */
  readonly domain: string;
  readonly servers: readonly SiteServer[];
}

/** The name of a site: a host name, lower-cased. Addresses and `localhost` are the welcome page's. */
export function parseDomain(text: string): Parsed<string> {
  const shown = quote(text);
  const name = lowerAscii(text);
  if (name.startsWith('*.')) return refused(`${shown} is a wildcard, which is not supported; name each domain`);
  if (/^[a-z]+:\/\//.test(name)) return refused(`${shown} is a URL; give the host name alone`);
  if (name === 'localhost') return refused('localhost always answers with the welcome page and cannot be a site');
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) {
    return refused(`${shown} is an IP address, which always answers with the welcome page; give a host name`);
  }
  if (/:\d+$/.test(name)) return refused(`${shown} has a port; give the host name alone`);
  const fault = hostNameFault(name);
  return fault === undefined ? parsed(name) : refused(`the domain ${shown} ${fault}`);
}

/** Where a server is reached: a host name (RFC 1123), lower-cased, or an IP address, made canonical. */
export function parseServerAddress(text: string): Parsed<string> {
  const shown = quote(text);
  const ip = parseIp(text);
  if (ip.ok) {
    return ip.entry.text.includes('/')
      ? refused(`the server address ${shown} is a network; give one address`)
      : parsed(ip.entry.text);
  }
  // A colon is in no host name; what has one was meant as an address, perhaps with a port.
  if (text.includes(':')) {
    return refused(
      `the server address ${shown} is neither a host name nor an IP address; the port is a field of its own`,
    );
  }
  const name = lowerAscii(text);
  const fault = hostNameFault(name);
  return fault === undefined ? parsed(name) : refused(`the server address ${shown} ${fault}`);
}

export function parsePort(value: unknown): Parsed<number> {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535
    ? parsed(value)
    : refused('the port must be a whole number from 1 to 65535');
}
