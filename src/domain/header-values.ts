// How HAProxy reads addresses from the values of request headers (`req.hdr_ip`, `req.hdr_cnt`), which differs from what
// the API accepts.
import { isIPv6 } from 'node:net';
import { type IpEntry, parseIp } from './ip.ts';
import { ipv4Entry } from './ip-entry.ts';

/** In the order in which they were sent. */
export type RequestHeaders = readonly (readonly [name: string, value: string])[];

/** The values of all lines of a header, separated at commas outside of quotes. An empty line has one empty value. */
export function headerValues(headers: RequestHeaders, header: string): string[] {
  return headers.flatMap(([name, value]) => (name.toLowerCase() === header ? valuesIn(value) : []));
}

function valuesIn(line: string): string[] {
  const values = [''];
  let state: 'plain' | 'quoted' | 'escaped' = 'plain';
  for (const character of line) {
    if (state === 'plain' && character === ',') {
      values.push('');
      continue;
    }
    values[values.length - 1] += character;
    if (state === 'escaped') state = 'quoted';
    else if (state === 'quoted' && character === '\\') state = 'escaped';
    else if (character === '"') state = state === 'plain' ? 'quoted' : 'plain';
  }
  return values.map((value) => value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ''));
}

/**
 * An IPv4 address, its parts also with leading zeros, perhaps with a port, or an IPv6 address without brackets. Null:
 * HAProxy does not read it.
 */
export function addressIn(value: string): IpEntry | null {
  const [, address, , port] = /^(\d+(?:\.\d+){3})(:(-?\d*))?$/.exec(value) ?? [];
  if (address !== undefined) {
    const parts = address.split('.').map(Number);
    if (parts.some((part) => part > 255) || (port !== undefined && !isPort(port))) return null;
    return ipv4Entry(
      parts.reduce((sum, part) => sum * 256 + part, 0),
      32,
    );
  }
  if (!isIPv6(value) || value.includes('%')) return null;
  const read = parseIp(value);
  return read.ok ? read.entry : null;
}

/** HAProxy reads a number with an optional sign; `-` alone is 0. */
function isPort(text: string): boolean {
  const port = Number(text === '-' ? 0 : text);
  return text !== '' && port >= 0 && port <= 65_535;
}

/** `[2001:db8::1]:443` as `2001:db8::1`, which the template's rules do for X-Forwarded-For. */
export function withoutBrackets(value: string): string {
  return value.replace(/^\[([0-9A-Fa-f:.]+)\](:[0-9]+)?$/, '$1');
}
