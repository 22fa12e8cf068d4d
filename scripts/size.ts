// Lines of code by area, without comments, blank lines, tests and generated code: `npm run size [COMMIT]`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

const root = join(import.meta.dirname, '..');
const commit = process.argv[2] ?? null;

interface Area {
  readonly name: string;
  readonly holds: (path: string) => boolean;
}

const below = (folder: string) => (path: string) => path.startsWith(`${folder}/`);
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);
const isGenerated = (path: string): boolean => /(^|\/)(gen|generated)\//.test(path) || path.endsWith('.d.ts');
/** Used only by tests. */
const isTestHelper = (path: string): boolean =>
  /(^|\/)test\//.test(path) || /-fixture\.tsx?$/.test(path) || /^(src|panel\/src)\/.*\/testkit\//.test(path);

/** A file belongs to the first match. */
const areas: readonly Area[] = [
  { name: 'test helpers', holds: isTestHelper },
  ...['src', 'panel/src', 'scripts', 'testkit', 'chaos', 'bench'].map((name) => ({ name, holds: below(name) })),
];

interface File {
  readonly path: string;
  readonly lines: number;
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
}

/** UTF-16 offsets, like the parser's. A multi-line text is code, except its blank lines. */
function codeLines(path: string, text: string): number {
  const { comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  let code = '';
  let from = 0;
  for (const { start, end } of comments) {
    code += text.slice(from, start);
    from = end;
  }
  code += text.slice(from);
  // A comment between JSX leaves `{}`.
  return code.split('\n').filter((line) => line.trim() !== '' && line.trim() !== '{}').length;
}

const listed = commit === null ? git('ls-files') : git('ls-tree', '-r', '--name-only', commit);
const paths = listed.split('\n').filter((path) => /\.tsx?$/.test(path) && !isTest(path) && !isGenerated(path));
const files = paths.flatMap((path): (File & { area: string })[] => {
  const area = areas.find(({ holds }) => holds(path));
  if (area === undefined) return [];
  const text = commit === null ? readFileSync(join(root, path), 'utf8') : git('show', `${commit}:${path}`);
  return [{ path, area: area.name, lines: codeLines(path, text) }];
});

const row = (...cells: readonly (string | number)[]): string =>
  cells.map((cell, index) => (index === 0 ? String(cell).padEnd(14) : String(cell).padStart(8))).join('');
const total = (of: readonly File[]): number => of.reduce((sum, { lines }) => sum + lines, 0);

process.stdout.write(`${row('', 'files', 'lines', 'median', 'largest')}\n`);
for (const { name } of [...areas.slice(1), ...areas.slice(0, 1)]) {
  const of = files.filter(({ area }) => area === name).sort((one, other) => one.lines - other.lines);
  const largest = of.at(-1);
  if (largest === undefined) continue;
  const median = of[Math.floor(of.length / 2)]?.lines ?? 0;
  process.stdout.write(`${row(name, of.length, total(of), median, largest.lines)}  ${largest.path}\n`);
}
process.stdout.write(`${row('all', files.length, total(files))}\n`);
const long = files.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path} (${lines})`);
process.stdout.write(`over 400 lines: ${long.length === 0 ? 'none' : long.join(', ')}\n`);
