import { isIPv4, isIPv6 } from 'node:net';
import { type Parsed, parsed, refused } from './parsed.ts';

/** The kernel's limit for the path of a unix socket. */
const unixPathLimit = 107;

/**
 * Where HAProxy's access log goes (ADR 0062): `auto`, `off`, or a syslog server. No host names: HAProxy resolves them
 * when it starts, and does not start with one that does not resolve.
 */
export function parseAccessLog(text: string): Parsed<string> {
  if (text === 'auto' || text === 'off' || isAddress(text) || isSocketPath(text)) return parsed(text);
  return refused(
    `must be auto, off, IPV4:PORT, [IPV6]:PORT, or the absolute path of a syslog socket, of at most ${unixPathLimit} bytes and with the characters A-Z a-z 0-9 . _ / + @ = - only`,
  );
}

function isAddress(text: string): boolean {
  const [, ipv4, ipv6, port] = /^(?:([0-9.]+)|\[([0-9a-fA-F:.]+)\]):([1-9]\d{0,4})$/.exec(text) ?? [];
  return Number(port) <= 65_535 && (isIPv4(ipv4 ?? '') || isIPv6(ipv6 ?? ''));
}

function isSocketPath(text: string): boolean {
  return /^\/[A-Za-z0-9._/+@=-]+$/.test(text) && text.length <= unixPathLimit;
}
