import { isIP } from 'node:net';
import { parseIp } from './ip.ts';
import { type Parsed, parsed, refused } from './parsed.ts';
import { quote } from './quote.ts';

/** How HAProxy treats one server. A closed list without free text that could reach the configuration. */
export interface ServerOptions {
  /** Relative share of the requests, 0 to 256; 0 gets none. */
  readonly weight?: number;
  /** Used only when every other server is down. */
  readonly backup?: boolean;
  /** 1 to 1,000,000. */
  readonly max_connections?: number;
  /** Default true. */
  readonly check?: boolean;
  /** TLS to the server: none, with its certificate verified, or with any certificate. */
  readonly ssl?: 'none' | 'verify' | 'insecure';
}

interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly wanted: string;
}

const RULES: { readonly [Name in keyof ServerOptions]-?: Rule } = {
  weight: whole(0, 256),
  backup: { fits: (value) => typeof value === 'boolean', wanted: 'true or false' },
  max_connections: whole(1, 1_000_000),
  check: { fits: (value) => typeof value === 'boolean', wanted: 'true or false' },
  ssl: {
    fits: (value) => value === 'none' || value === 'verify' || value === 'insecure',
    wanted: '"none", "verify" or "insecure"',
  },
};

/** The options of a server from JSON (absent: none), with the default of `check`. */
export function parseServerOptions(options: unknown): Parsed<ServerOptions> {
  if (options === undefined) return parsed({ check: true });
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return refused('the server options must be an object');
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(RULES, name)) {
      const known = Object.keys(RULES).join(', ');
      return refused(`the server option ${quote(name)} is unknown; the options are ${known}`);
    }
    const rule = RULES[name as keyof ServerOptions];
    if (!rule.fits(value)) return refused(`the server option ${name} must be ${rule.wanted}`);
  }
  return parsed({ check: true, ...options });
}

function whole(least: number, most: number): Rule {
  return {
    fits: (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
    wanted: `a whole number from ${least} to ${most}`,
  };
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Undefined for a valid host name (RFC 1123: at most 253 characters, labels of 1 to 63 letters, digits and inner
 * hyphens, a last label that is not a number).
 */
export function hostNameFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > 253) return 'is longer than 253 characters';
  if (/[^ -~]/.test(name)) return 'has characters that are not printable ASCII; write it in its xn-- form';
  if (name.endsWith('.')) return 'ends in a dot; remove it';
  const labels = name.split('.');
  for (const label of labels) {
    if (label === '') return 'has an empty part between its dots';
    if (label.length > 63) return 'has a part longer than 63 characters';
    if (!LABEL.test(label)) return 'may contain only letters, digits, dots, and hyphens inside a part';
  }
  // RFC 1123 2.1: a name whose last part is a number could be an address.
  if (/^([0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) as string)) return 'ends in a number, as only an IP address does';
  return undefined;
}

/** Lower case for A to Z alone: `toLowerCase` turns some letters of other scripts (the Kelvin sign) into ASCII. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export interface SiteServer {
  /** A lower-case host name or a canonical IP address. */
  readonly address: string;
  readonly port: number;
  readonly options?: ServerOptions;
}

/** Where a site without servers sends all requests. */
export interface SiteRedirect {
  /** An http or https URL; scheme and host in lower case. */
  readonly to: string;
  readonly status: 301 | 302 | 307 | 308;
  /** Whether path and query of the request are appended to `to`. */
  readonly keep_path: boolean;
}

export interface Site {
  readonly domain: string;
  /** None if it redirects. */
  readonly servers: readonly SiteServer[];
  /** Further names, in lower case: host names, and wildcards for one label (`*.example.com`). Absent: none. */
  readonly names?: readonly string[];
  /** The domain, or one of the names, to which its other host names are redirected. Absent or null: none. */
  readonly canonical?: string | null;
  /** False: its names stay its own and are answered like those of no site. Absent: true. */
  readonly enabled?: boolean;
  /** Absent or null: its servers answer. */
  readonly redirect?: SiteRedirect | null;
}

/** The name of a site: a host name, lower-cased. Addresses and `localhost` are the welcome page's. */
export function parseDomain(text: string): Parsed<string> {
  const shown = quote(text);
  const name = lowerAscii(text);
  if (name.startsWith('*.'))
    return refused(`${shown} is a wildcard; name the site by a host name and give the wildcard in names`);
  if (/^[a-z]+:\/\//.test(name)) return refused(`${shown} is a URL; give the host name alone`);
  if (name === 'localhost') return refused('localhost always answers with the welcome page and cannot be a site');
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) {
    return refused(`${shown} is an IP address, for which HAProxy always serves its welcome page; give a host name`);
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
  // No host name contains a colon; the text was meant as an address, perhaps with a port.
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
