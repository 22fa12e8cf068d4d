// The functions of `node:net` that the shared address parser uses, for the browser. A property test compares them with
// Node's.
import { readIpv4 } from '../../../src/domain/ip-text.ts';

export function isIPv4(text: string): boolean {
  return readIpv4(text, 0, text.length) >= 0;
}

/** RFC 4291, section 2.2, with the zone id that Node accepts. */
export function isIPv6(text: string): boolean {
  const percent = text.indexOf('%');
  if (percent >= 0 && !/^[0-9A-Za-z.:-]+$/.test(text.slice(percent + 1))) return false;
  const address = percent >= 0 ? text.slice(0, percent) : text;
  const halves = address.split('::');
  if (halves.length > 2) return false;
  const counts = halves.map((half, index) => countGroups(half, index === halves.length - 1));
  if (counts.some((count) => count < 0)) return false;
  const total = counts.reduce((sum, count) => sum + count, 0);
  return halves.length === 2 ? total <= 7 : total === 8;
}

export function isIP(text: string): 0 | 4 | 6 {
  if (isIPv4(text)) return 4;
  return isIPv6(text) ? 6 : 0;
}

/** Groups of 16 bits; -1: invalid. The last may be an IPv4 address. */
function countGroups(text: string, atTheEnd: boolean): number {
  if (text === '') return 0;
  const groups = text.split(':');
  const last = groups.at(-1) as string;
  const dotted = atTheEnd && last.includes('.');
  if (dotted && !isIPv4(last)) return -1;
  const hexadecimal = dotted ? groups.slice(0, -1) : groups;
  return hexadecimal.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group)) ? hexadecimal.length + (dotted ? 2 : 0) : -1;
}
