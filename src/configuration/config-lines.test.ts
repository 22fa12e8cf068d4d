import { expect, test } from 'vitest';
import { configLines, splitWords } from './config-lines.ts';

test.each([
  ['', []],
  ['   \t ', []],
  ['# all of it', []],
  ['  bind :80  # port', ['bind', ':80']],
  ['a#b', ['a']],
  ["string 'a # b'", ['string', 'a # b']],
  ['string "a # b"x', ['string', 'a # bx']],
  ['string "a \\" b"', ['string', 'a " b']],
  ["string 'a \\' b", ['string', 'a \\', 'b']],
  ['a\\ b \\#c', ['a b', '#c']],
  ["x ''", ['x', '']],
  ['bind :80\r', ['bind', ':80']],
])('cuts %j into words as the proxy does', (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test('tells the section of a line, and whether it is conditional', () => {
  const text = 'global\n maxconn 1\n.if defined(X)\nfrontend f\n bind :1\n.endif\n\nbackend b\n server s :1';
  const seen = [...configLines(text)].map((line) => [line.number, line.section, line.sectionName, line.conditional]);
  expect(seen).toEqual([
    [1, 'global', '', false],
    [2, 'global', '', false],
    [3, 'global', '', true],
    [4, 'frontend', 'f', true],
    [5, 'frontend', 'f', true],
    [6, 'frontend', 'f', false],
    [8, 'backend', 'b', false],
    [9, 'backend', 'b', false],
  ]);
});
