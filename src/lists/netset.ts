// The output of `ipset save` (`create blocked hash:net …`, `add blocked 192.0.2.0/24 timeout 3600 comment "ssh"`), and
// FireHOL's `.ipset` and `.netset` files, which are plain lists.

import { trimBlanks } from '../domain/list-line.ts';
import { quote } from '../domain/quote.ts';
import { reasonProblem } from './fields.ts';
import { readAddress, readPlainLine } from './plain.ts';
import { bad, type LineReading, type ListEntry, nothing } from './reading.ts';

/** Commands of a saved set without an address. */
const others = new Set(['create', '-N', 'flush', '-F', 'COMMIT']);
const adding = new Set(['add', '-A']);
/** Ignored options of `add` with a value. */
const ignoredWithValue = new Set(['packets', 'bytes', 'skbmark', 'skbprio', 'skbqueue']);

export function readNetsetLine(line: string): LineReading {
  const words = splitWords(line);
  if (words === null) return bad(trimBlanks(line), 'has a quotation mark that is not closed');
  const [command, , address, ...options] = words.filter((word) => word !== '-exist' && word !== '-!');
  if (command === undefined || command.startsWith('#') || others.has(command)) return nothing;
  if (!adding.has(command)) return readPlainLine(line);
  if (address === undefined) return bad(trimBlanks(line), 'has no address; write add SET ADDRESS');
  const reading = readAddress(address);
  if (reading.kind !== 'entry') return reading;
  return withOptions(reading.entry, options);
}

function withOptions(plain: ListEntry, options: readonly string[]): LineReading {
  let entry = plain;
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at]!;
    const value = options[at + 1];
    if (option === 'nomatch') {
      return bad(plain.ip, 'is an exception of its set (nomatch); trust it instead: proxy-manager trust add');
    }
    if (ignoredWithValue.has(option)) {
      at += 1;
    } else if (option === 'timeout') {
      at += 1;
      if (value === undefined || !/^[0-9]{1,9}$/.test(value)) {
        return bad(plain.ip, `has the timeout ${quote(value ?? '')}, which is not a whole number of seconds`);
      }
      // 0: no expiry.
      if (Number(value) > 0) entry = { ...entry, expiry: { seconds: Number(value) } };
    } else if (option === 'comment') {
      at += 1;
      const problem = reasonProblem(value ?? '');
      if (problem !== null) return bad(plain.ip, problem);
      entry = { ...entry, reason: value ?? '' };
    } else {
      return bad(plain.ip, `has the unknown option ${quote(option)}`);
    }
  }
  return { kind: 'entry', entry };
}

/** Words between blanks; double quotes may contain blanks, and `\"` is a quotation mark. Null: a quote stays open. */
function splitWords(line: string): string[] | null {
  const words: string[] = [];
  const word = /[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^ \t"]+))/y;
  const text = trimBlanks(line);
  while (word.lastIndex < text.length) {
    const match = word.exec(text);
    if (match === null) return null;
    words.push(match[2] ?? match[1]!.replaceAll(/\\(.)/g, '$1'));
  }
  return words;
}
