import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fsyncFolder } from './atomic-file.ts';

/**
 * Makes a folder with all above it that is missing, and its name durable: the files in it may be synced as they like,
 * after a power failure they are gone with a folder whose own name was not.
 * One that was there is synced too: whoever made it may have died before he did, and on a clean folder it costs nothing.
 */
export async function makeFolderDurably(path: string, mode?: number): Promise<void> {
  const first = await mkdir(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  const highest = first === undefined ? path : first;
  for (let at = path; ; at = dirname(at)) {
    await syncIfMine(dirname(at), first !== undefined);
    if (at === highest || dirname(at) === at) return;
  }
}

/** The folder above one that an operator made may be none of the service's business, nor readable to it. */
async function syncIfMine(folder: string, mustBe: boolean): Promise<void> {
  try {
    await fsyncFolder(folder);
  } catch (error) {
    if (mustBe || !['EACCES', 'EPERM', 'EROFS', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}
