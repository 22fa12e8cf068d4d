// The table in docs/architecture.md is the rule.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const trees = ['src', 'panel/src', 'testkit', 'chaos', 'bench', 'scripts'];

/** Imports by path. */
const imports = new Map(trees.flatMap((tree) => sources(tree)).map((path) => [path, importsOf(path)]));

interface Row {
  readonly paths: readonly string[];
  /** Names of rows; null: anything. */
  readonly knows: readonly string[] | null;
}

const rows = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| `(src|panel|testkit|chaos|bench|scripts)/.test(line))
  .map((line): Row => {
    const cells = line.slice('| '.length, -' |'.length).split(' | ');
    const [places = ''] = cells;
    const last = cells.at(-1) as string;
    const paths = [...places.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
    return { paths, knows: last === 'all' ? null : last === 'nothing' ? [] : last.split(', ') };
  });

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function importsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']*)'/g);
  return [...found]
    .map((match) => normalize(join(dirname(path), match[1] as string)))
    .filter((one) => !one.endsWith('.css'));
}

const isOfTests = (path: string): boolean => /\.test\.tsx?$|^panel\/src\/test\//.test(path);
const lies = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

/** The row of the file, or of the narrowest folder around it. */
function rowOf(path: string): Row | undefined {
  const named = rows.flatMap((row) => row.paths.filter((place) => lies(path, place)).map((place) => ({ row, place })));
  return named.toSorted((a, b) => b.place.length - a.place.length)[0]?.row;
}

function mayImport(row: Row, target: string): boolean {
  if (row.knows === null || rowOf(target) === row) return true;
  return row.knows.some((name) => lies(target, name.startsWith('panel') ? name : `src/${name}`));
}

it('every file has a row in docs/architecture.md', () => {
  expect([...imports.keys()].filter((path) => !isOfTests(path) && rowOf(path) === undefined)).toEqual([]);
  const gone = rows
    .flatMap(({ paths }) => paths)
    .filter((place) => ![...imports.keys()].some((path) => lies(path, place)));
  expect(gone).toEqual([]);
});

it('each file imports only what its row allows', () => {
  const wrong = [...imports].flatMap(([path, targets]) => {
    const row = rowOf(path);
    if (row === undefined || isOfTests(path)) return [];
    return targets.filter((target) => !mayImport(row, target)).map((target) => `${path} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

it('no row allows an import that is unused', () => {
  const unused = rows.flatMap((row) =>
    (row.knows ?? []).flatMap((name) => {
      const used = [...imports].some(
        ([path, targets]) =>
          rowOf(path) === row &&
          targets.some((target) => lies(target, name.startsWith('panel') ? name : `src/${name}`)),
      );
      return used ? [] : [`${row.paths.join(', ')}: ${name}`];
    }),
  );
  expect(unused).toEqual([]);
});

it('every folder of the repository with code is checked here', () => {
  const others = ['bin', 'dist', 'docs', 'node_modules', 'packaging', 'panel', 'proto', 'src', 'test'];
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  expect(folders.filter((name) => !others.includes(name) && !trees.includes(name))).toEqual([]);
});

it('test helpers are in testkit, not in src', () => {
  const helpers = [...imports.keys()].filter((path) =>
    /^(src|panel\/src)\/.*(fixture|testkit|\bstub|\bfake|\bmock)/i.test(path),
  );
  expect(helpers.filter((path) => !isOfTests(path))).toEqual([]);
});

it('product code imports no test helper', () => {
  const wrong = [...imports].flatMap(([path, targets]) => {
    if (isOfTests(path) || !/^(src|panel)\//.test(path)) return [];
    return targets
      .filter((target) => isOfTests(target) || !/^(src|panel)\//.test(target))
      .map((target) => `${path} imports ${target}`);
  });
  expect(wrong.filter((one) => !one.includes('../package.json'))).toEqual([]);
});

it('no file is part of an import cycle', () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const from = way.indexOf(path);
    if (from >= 0) circles.push([...way.slice(from), path].map((one) => relative('src', one)).join(' → '));
    if (from >= 0 || done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) if (!isOfTests(path)) visit(path, []);
  expect(circles).toEqual([]);
});
