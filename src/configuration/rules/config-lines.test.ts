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
  ['deny if a\r or b', ['deny', 'if', 'a']],
  ['\r deny', ['deny']],
  ['/e/b\\locked.map', ['/e/b\\locked.map']],
  ['a\\x20b\\tc \\$x', ['a b\tc', '\\$x']],
  ['"\\$x"', ['$x']],
  ['x\\', ['x\\']],
])('cuts %j into words as HAProxy does', (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test.each([
  ['a "$B" c', 1],
  ['a b"$C[*]" d', 1],
  ['"$A" b', 0],
  ["a '$B' $C \\$D", 4],
  ['a "\\$B" c', 3],
])('finds in %j the words that the environment cannot change', (line, certain) => {
  expect([...configLines(line)][0]?.certainWords).toBe(certain);
});

test('ends a line at an empty word, as HAProxy does', () => {
  expect([...configLines("deny if a '' or b\n'' b\n")].map(({ words }) => words)).toEqual([['deny', 'if', 'a']]);
});

test('returns the section of a line, and whether it is conditional', () => {
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
