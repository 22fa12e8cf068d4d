// `panel/built` is committed, because `npm ci` runs no scripts. It must match its sources.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const panel = join(root, 'panel');
const run = promisify(execFile);
const committed = join(panel, 'built');
/** Bytes with gzip until the overview is shown. */
const maxFirstLoad = 300_000;

/** By name. What is no text, such as a font, is compared by its bytes as well. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = await Promise.all(
    names.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [
        path.slice(folder.length + 1),
        await readFile(path, path.endsWith('.woff2') ? 'latin1' : 'utf8'),
      ] as const;
    }),
  );
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

it('the committed panel matches its sources (npm run build:panel)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'panel-built-'));
  try {
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    const words = [vite, 'build', '--config', join(panel, 'vite.config.ts'), '--outDir', folder, '--emptyOutDir'];
    // Within vitest, React would be built for development.
    const { NODE_ENV: _, VITEST: __, ...environment } = process.env;
    await run(process.execPath, words, { cwd: root, env: environment });
    const [now, then] = await Promise.all([filesOf(folder), filesOf(committed)]);
    expect([...then.keys()]).toEqual([...now.keys()]);
    for (const [name, text] of now) expect(then.get(name) === text, `${name} matches its build`).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('the panel loads less than 300 kB before the overview is shown', async () => {
  const files = await filesOf(committed);
  const page = files.get('index.html') ?? '';
  const wanted = new Set<string>(['index.html']);
  const queue = [...page.matchAll(/\/(assets\/[^"]+)/g)].map(([, name]) => name ?? '');
  // The overview's file and its imports.
  queue.push(...[...files].filter(([, text]) => text.includes('Blocking status')).map(([name]) => name));
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (wanted.has(name)) continue;
    wanted.add(name);
    const text = files.get(name) ?? '';
    for (const [, other = ''] of text.matchAll(/from\s*"\.\/([^"]+)"/g)) queue.push(`assets/${other}`);
    for (const [, other = ''] of text.matchAll(/import\s*"\.\/([^"]+)"/g)) queue.push(`assets/${other}`);
  }
  const bytes = [...wanted].reduce((sum, name) => sum + gzipSync(files.get(name) ?? '', { level: 9 }).length, 0);
  expect(wanted.size).toBeGreaterThan(3);
  expect(bytes).toBeLessThan(maxFirstLoad);
  console.log(`first load: ${bytes} bytes in ${wanted.size} files`);
});

it('has the styles of each component that it uses', async () => {
  const files = await filesOf(committed);
  const all = await readFile(join(root, 'node_modules/@mantine/core/styles.css'), 'utf8');
  const textsOf = (end: string): string =>
    [...files].flatMap(([name, text]) => (name.endsWith(end) ? [text] : [])).join('');
  const [scripts, styles] = [textsOf('.js'), textsOf('.css')];
  const used = new Set(scripts.match(/\bm_[0-9a-f]+\b/g));
  expect(used.size).toBeGreaterThan(100);
  expect([...used].filter((name) => all.includes(`.${name}`) && !styles.includes(`.${name}`))).toEqual([]);
});

it('the page has nothing inline that its policy blocks, and nothing from other origins', async () => {
  const page = (await filesOf(committed)).get('index.html') ?? '';
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/);
  expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^\/assets\//)]),
  );
  for (const [, url = ''] of page.matchAll(/(?:src|href)="([^"]+)"/g))
    expect(url).toMatch(/^(\/assets\/|data:image\/svg)/);
});
