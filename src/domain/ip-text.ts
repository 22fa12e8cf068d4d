import type { IpWords } from './ip-entry.ts';

const DOT = 46;
const ZERO = 48;
const COLON = 58;

/**
 * The IPv4 address in `text[from, end)` as an unsigned 32-bit number, or -1. Strict: four decimal parts of 0 to 255
 * without leading zeros, exactly what `net.isIPv4` accepts (a property test compares them).
 */
export function readIpv4(text: string, from: number, end: number): number {
  // 0.0.0.0 to 255.255.255.255
  if (end - from < 7 || end - from > 15) return -1;
  let address = 0;
  let part = 0;
  let digits = 0;
  let dots = 0;
  for (let index = from; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === DOT) {
      if (digits === 0 || ++dots > 3) return -1;
      address = address * 256 + part;
      part = 0;
      digits = 0;
      continue;
    }
    const digit = code - ZERO;
    if (digit < 0 || digit > 9 || (digits > 0 && part === 0)) return -1;
    part = part * 10 + digit;
    digits++;
    if (part > 255) return -1;
  }
  return dots === 3 && digits > 0 ? address * 256 + part : -1;
}

/** A prefix length in `text[from, …)`: 0 to `longest`, decimal, no leading zeros; -1 for anything else. */
export function readPrefix(text: string, from: number, longest: number): number {
  const length = text.length - from;
  if (length < 1 || length > 3 || (length > 1 && text.charCodeAt(from) === ZERO)) return -1;
  let prefix = 0;
  for (let index = from; index < text.length; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    prefix = prefix * 10 + digit;
  }
  return prefix <= longest ? prefix : -1;
}

/** The words of a text that `net.isIPv6` accepts, without a zone id; meaningless for any other text. */
export function readIpv6(text: string): IpWords {
  const groups = [0, 0, 0, 0, 0, 0, 0, 0];
  let count = 0;
  let gap = -1;
  let index = 0;
  while (index < text.length) {
    if (text.charCodeAt(index) === COLON) {
      if (text.charCodeAt(index + 1) === COLON) {
        gap = count;
        index++;
      }
      index++;
      continue;
    }
    const start = index;
    let value = 0;
    let code = text.charCodeAt(index);
    while (index < text.length && code !== COLON && code !== DOT) {
      value = value * 16 + hexDigit(code);
      code = text.charCodeAt(++index);
    }
    if (index < text.length && code === DOT) {
      const ipv4 = readIpv4(text, start, text.length);
      groups[count++] = ipv4 >>> 16;
      groups[count++] = ipv4 & 0xffff;
      break;
    }
    groups[count++] = value;
  }
  if (gap >= 0) {
    const missing = 8 - count;
    groups.copyWithin(gap + missing, gap, count);
    groups.fill(0, gap, gap + missing);
  }
  const word = (high: number): number => ((groups[high] as number) * 65536 + (groups[high + 1] as number)) >>> 0;
  return [word(0), word(2), word(4), word(6)];
}

function hexDigit(code: number): number {
  return code <= 57 ? code - ZERO : (code | 32) - 87;
}
