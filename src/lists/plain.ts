// One address or network a line: `#` and `;` begin a comment, at the line's begin or after a blank. So are FireHOL's
// `.netset` files, Spamhaus' DROP, and what `proxy-manager export` writes.
import { parseIp } from '../domain/ip.ts';
import { withoutComment } from '../domain/list-line.ts';
import { bad, type LineReading, nothing } from './reading.ts';

export function readPlainLine(line: string): LineReading {
  return readAddress(withoutComment(line));
}

/** A text that is to be an address, or empty. */
export function readAddress(text: string): LineReading {
  if (text === '') return nothing;
  const ip = parseIp(text);
  return ip.ok ? { kind: 'entry', entry: { ip: ip.entry.text } } : bad(text, ip.why);
}
