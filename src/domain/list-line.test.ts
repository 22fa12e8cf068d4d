import { expect, it } from 'vitest';
import { trimBlanks, withoutComment } from './list-line.ts';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  [' \t192.0.2.1 \t', '192.0.2.1'],
  ['192.0.2.1 # note # more', '192.0.2.1'],
  ['192.0.2.1\t;note', '192.0.2.1'],
  ['192.0.2.1#not a comment', '192.0.2.1#not a comment'],
  [' # only a comment', ''],
  ['#', ''],
  ['', ''],
  ['\u00a0192.0.2.1', '\u00a0192.0.2.1'],
])('keeps of %j the text before a comment', (line, text) => {
  expect(withoutComment(line)).toBe(text);
});

it('trims blanks and tabs, and nothing else', () => {
  expect(trimBlanks(' \t#a\r ')).toBe('#a\r');
  expect(trimBlanks(' \t ')).toBe('');
});
