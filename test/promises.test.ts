// docs/promises.md states each promise, rule and reading that code cites by number, with its proof.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const text = readFileSync(join(root, 'docs/promises.md'), 'utf8');
const rows = [...text.matchAll(/^\| ((?:promise|rule|reading) \d+) \| .* \| (.*) \|$/gm)];
const stated = rows.map(([, name = '']) => name);

function sources(): string[] {
  const folders = '{src,panel/src,scripts,testkit,chaos,bench,test}';
  return globSync(`${folders}/**/*.{ts,tsx}`, { cwd: root }).filter((path) => !path.includes('/gen/'));
}

test('promises.md states each number once, in order', () => {
  const numbers = (kind: string): number[] =>
    stated.filter((name) => name.startsWith(`${kind} `)).map((name) => Number(name.split(' ')[1]));
  for (const [kind, count] of [
    ['promise', 17],
    ['rule', 17],
    ['reading', 9],
  ] as const)
    expect(numbers(kind)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

test('promises.md names existing tests or pages for each', () => {
  for (const [, name = '', proof = ''] of rows) {
    const pages = [...proof.matchAll(/\]\(([^)]+)\)/g)].map(([, page = '']) => join(root, 'docs', page));
    expect(
      pages.filter((page) => !existsSync(page)),
      name,
    ).toEqual([]);
    const files = [...proof.matchAll(/`((?:src|test)\/[^`]+)`((?:[:,] "[^"]+")*)/g)];
    for (const [, file = '', quoted = ''] of files) {
      const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title);
      expect(titles, `${name}: the titles of tests in ${file}`).not.toEqual([]);
      expect(
        titles.filter((title) => !titlesIn(file).has(title)),
        `${name}: not in ${file}`,
      ).toEqual([]);
    }
    expect(pages.length + files.length, name).toBeGreaterThan(0);
  }
});

/** The literals that are the first of several arguments, as every title is. */
function titlesIn(file: string): Set<string> {
  const code = readFileSync(join(root, file), 'utf8').replaceAll(/^ *\/\/.*$/gm, '');
  return new Set([...code.matchAll(/\(\s*'([^'\n]+)',/g)].map(([, title = '']) => title));
}

test('comments cite only promises that promises.md states', () => {
  const wrong = sources().flatMap((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    const cited = [...source.matchAll(/\b(promise|rule|reading)s? (\d+)\b/g)];
    return cited.filter(([, kind, number]) => !stated.includes(`${kind} ${number}`)).map(([it]) => `${path}: ${it}`);
  });
  expect(wrong).toEqual([]);
});

test('no comment cites a document outside the repository', () => {
  const wrong = sources().filter((path) => {
    if (path === 'test/promises.test.ts') return false;
    return /contracts\.md|haproxy-facts|\b[Tt]he specification\b/.test(readFileSync(join(root, path), 'utf8'));
  });
  expect(wrong).toEqual([]);
});
