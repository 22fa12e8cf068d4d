// One address or network per line: `#` and `;` begin a comment, at the beginning or after a blank. Includes FireHOL's
// `.netset` files, Spamhaus' DROP, and the output of `proxy-manager export`.
import { parseIp } from '../domain/ip.ts';
import { withoutComment } from '../domain/list-line.ts';
import { bad, type LineReading, nothing } from './reading.ts';

export function readPlainLine(line: string): LineReading {
  return readAddress(withoutComment(line));
}

export function readAddress(text: string): LineReading {
  if (text === '') return nothing;
  const ip = parseIp(text);
  return ip.ok ? { kind: 'entry', entry: { ip: ip.entry.text } } : bad(text, ip.why);
}
