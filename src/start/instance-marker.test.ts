import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../testkit/blocking.ts';
import { readMarker, writeMarker } from './instance-marker.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

test('an instance marker is read as it was written, and is null without a file', async () => {
  expect(await readMarker(folder.path)).toBeNull();
  await writeMarker(folder.path, { database_id: '5f0c' });
  expect(await readMarker(folder.path)).toEqual({ database_id: '5f0c' });
});

test.each(['', '{"database_id":"5f', '\0\0\0\0', 'null', '"5f0c"', '{"database_id":7}', '{"database_id":""}', '{}'])(
  'a damaged instance marker is an error with its path, never a missing one: %j',
  async (text) => {
    const path = join(folder.path, 'instance.json');
    await writeFile(path, text);
    await expect(readMarker(folder.path)).rejects.toThrow(
      `${path} is damaged; restore it from a backup, or remove it if`,
    );
  },
);
