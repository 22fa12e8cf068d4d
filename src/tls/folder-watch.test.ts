import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testkit/blocking.ts';
import { FolderWatch } from './folder-watch.ts';

it('says that it began or ended: its own report of the end may never arrive', async () => {
  const parent = await temporaryFolder();
  const folder = join(parent.path, 'tls');
  const watch = new FolderWatch({ folder, onChange: () => undefined, log: { warn: () => undefined } });
  try {
    expect(await watch.renew()).toBe(false);
    await mkdir(folder);
    expect([await watch.renew(), await watch.renew()]).toEqual([true, false]);
    await rename(folder, `${folder}~`);
    expect([await watch.renew(), await watch.renew()]).toEqual([true, false]);
    await mkdir(folder);
    expect([await watch.renew(), await watch.renew()]).toEqual([true, false]);
    await rm(folder, { recursive: true });
    expect(await watch.renew()).toBe(true);
  } finally {
    watch.close();
    await parent.remove();
  }
});
