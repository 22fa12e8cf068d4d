import { expect, test } from 'vitest';
import { type ConfigurationFile, proxySections } from './proxy-sections.ts';

const file = (path: string, ...lines: string[]): ConfigurationFile => ({ path, text: `${lines.join('\n')}\n` });
const summary = (...files: ConfigurationFile[]) =>
  proxySections(files).map(({ kind, name, place, mode, defaults }) => [
    kind,
    name,
    place,
    mode,
    typeof defaults === 'object' ? (defaults?.place ?? null) : defaults,
  ]);

test('reads the sections of several files as one configuration', () => {
  const first = file('/e/a.cfg', 'global', ' maxconn 1', 'defaults', ' mode http', 'frontend f', ' bind :1');
  const second = file('/e/b.cfg', '# of another team', 'listen l', ' mode tcp', 'backend b', 'peers p', ' bind :2');
  expect(summary(first, second)).toEqual([
    ['global', '', '/e/a.cfg:1', 'tcp', null],
    ['defaults', '', '/e/a.cfg:3', 'http', null],
    ['frontend', 'f', '/e/a.cfg:5', 'http', '/e/a.cfg:3'],
    ['listen', 'l', '/e/b.cfg:2', 'tcp', '/e/a.cfg:3'],
    ['backend', 'b', '/e/b.cfg:4', 'http', '/e/a.cfg:3'],
  ]);
  expect(proxySections([first, second]).at(-1)?.lines).toEqual([]);
});

test('a section takes its mode from the defaults section before it, or from the one that it names', () => {
  const sections = summary(
    file(
      'c',
      'frontend none',
      'defaults web',
      ' mode http',
      'defaults raw',
      'frontend last',
      'frontend named from web',
      'defaults more from web',
      'frontend behind',
      'defaults from web',
      'frontend nameless',
      'frontend lost from missing',
    ),
  );
  expect(sections.map(([, name, , mode]) => [name, mode])).toEqual([
    ['none', 'tcp'],
    ['web', 'http'],
    ['raw', 'tcp'],
    ['last', 'tcp'],
    ['named', 'http'],
    ['more', 'http'],
    ['behind', 'http'],
    ['', 'http'],
    ['nameless', 'http'],
    ['lost', 'unknown'],
  ]);
});

test.each([
  ['its own mode', ['frontend f', '.if defined(X)', ' mode http', '.endif'], 'unknown'],
  ['a mode from the environment', ['frontend f', ' mode "$MODE"'], 'unknown'],
  ['the section before', ['.if defined(X)', 'defaults', '.endif', 'frontend f'], 'unknown'],
  ['the section that it names', ['.if defined(X)', 'defaults d', '.endif', 'frontend f from d'], 'unknown'],
  ['the name of its defaults', ['defaults d', 'frontend f from "$D"'], 'unknown'],
  ['what may be a section', ['"$SECTION" d', 'frontend f'], 'unknown'],
  ['the words of its first line', ['frontend f "$FROM"'], 'unknown'],
  ['what may be a line of its defaults', ['defaults d', '"$LINE"', 'frontend f from d'], 'unknown'],
  [
    'nothing, because its mode comes later',
    ['frontend f', '.if defined(X)', ' mode tcp', '.endif', ' mode http'],
    'http',
  ],
])('reports the mode as unknown if the environment decides %s', (_what, lines, mode) => {
  expect(proxySections([file('c', ...lines)]).find(({ name }) => name === 'f')?.mode).toBe(mode);
});

test('a line after an `.if` that may have begun another section may belong to both', () => {
  const lines = [
    'frontend a',
    ' one',
    '.if defined(X)',
    ' two',
    'frontend b',
    ' three',
    '.else',
    ' four',
    '.endif',
    ' five',
  ];
  const sections = proxySections([file('c', ...lines, 'frontend d', ' six')]);
  expect(
    sections.map(({ name, lines: read }) => [name, ...read.map((line) => `${line.words[0]} ${line.conditional}`)]),
  ).toEqual([
    ['a', 'one false', 'two true', 'four true', 'five true'],
    ['b', 'three true', 'five true'],
    ['d', 'six false'],
  ]);
  const lost = proxySections([file('c', 'frontend a', '"$WORD"', ' one', 'frontend b', ' two')]);
  expect(lost.map(({ lines: read }) => read.map((line) => `${line.words[0]} ${line.conditional}`))).toEqual([
    ['$WORD true', 'one true', 'two true'],
    ['two true'],
  ]);
});
