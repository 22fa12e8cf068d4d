import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changeOnceThere } from '../../testkit/files/change-once-there.ts';
import { SmallMapFile } from './small-map-file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-small-'));
  path = join(folder, 'trusted.map');
});
afterEach(() => rm(folder, { recursive: true }));

it('a file that another process changed while it was written is written again', async () => {
  const file = new SmallMapFile(path);
  const changed = changeOnceThere(path, '0.0.0.0/0 1\n');
  await file.write('192.0.2.1 1\n');
  await changed;
  expect(await readFile(path, 'utf8')).toBe('0.0.0.0/0 1\n');
  expect(await file.unchanged()).toBe(false);
  await file.write('192.0.2.1 1\n');
  expect(await readFile(path, 'utf8')).toBe('192.0.2.1 1\n');
  expect(await file.unchanged()).toBe(true);
});
