// A map file of HAProxy: `<address> <value>`; `#` is a comment in column 0 only. Header, padding and empty slots of
// this service's files are comments.

import { trimBlanks } from '../domain/list-line.ts';
import { quote } from '../domain/quote.ts';
import { readAddress } from './plain.ts';
import { bad, type LineReading, nothing } from './reading.ts';

export function readMapLine(line: string): LineReading {
  if (line.startsWith('#')) return nothing;
  const [, key = '', value = ''] = /^[ \t]*([^ \t]*)[ \t]*(.*)$/.exec(line) ?? [];
  if (key === '') return nothing;
  const address = readAddress(key);
  if (address.kind !== 'entry') return address;
  const given = trimBlanks(value);
  if (/^0*[1-9][0-9]{0,9}$/.test(given)) return address;
  return bad(
    trimBlanks(line),
    `${explain(given)}; a rule that compares values blocks those above 0. If yours matches keys only (-m found), import the first column as a list`,
  );
}

function explain(value: string): string {
  return value === '' ? 'has no value' : `has the value ${quote(value)}`;
}
