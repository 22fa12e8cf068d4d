import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectGarbage, contentAddressed, ensureFiles } from './sites-map.ts';

let folder: string;
let base: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-sites-'));
  base = join(folder, 'sites.map');
});
afterEach(() => rm(folder, { recursive: true }));

test('the name of a sites map depends only on its content', () => {
  const one = contentAddressed('/etc/proxy/sites.map', 'a site_a\n');
  expect(one.path).toMatch(/^\/etc\/proxy\/sites\.[0-9a-f]{16}\.map$/);
  expect(contentAddressed('/etc/proxy/sites.map', 'a site_a\n')).toEqual(one);
  expect(contentAddressed('/etc/proxy/sites.map', 'b site_b\n').path).not.toBe(one.path);
  expect(contentAddressed('/etc/proxy/sites', '').path).toMatch(/^\/etc\/proxy\/sites\.[0-9a-f]{16}$/);
});

test('a sites map is written if it is absent or damaged, and otherwise left unchanged', async () => {
  const file = contentAddressed(base, 'a site_a\n');
  expect(await ensureFiles([file])).toEqual([file.path]);
  const before = await stat(file.path, { bigint: true });
  expect(await ensureFiles([file])).toEqual([]);
  expect((await stat(file.path, { bigint: true })).ino).toBe(before.ino);
  await writeFile(file.path, 'a si');
  expect(await ensureFiles([file])).toEqual([file.path]);
  expect(await readFile(file.path, 'utf8')).toBe('a site_a\n');
});

test('only unneeded sites maps are removed', async () => {
  const [live, old] = [contentAddressed(base, 'live'), contentAddressed(base, 'old')];
  await ensureFiles([live, old]);
  const foreign = ['sites.map', 'sites.mine.map', 'sites.0123456789abcdef.map.bak', 'xsites.0123456789abcdef.map'];
  for (const name of foreign) await writeFile(join(folder, name), '');
  expect(await collectGarbage([base], [live.path])).toEqual([old.path]);
  expect((await readdir(folder)).sort()).toEqual([...foreign, live.path.slice(folder.length + 1)].sort());
});
