import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fsyncFolder } from './atomic-file.ts';

/**
 * Creates a folder with its missing parents and makes their names durable: after a power failure even synced files are
 * gone with a folder whose name was not. An existing folder is synced too, since the process that created it may have
 * died before its sync, and on a clean folder a sync costs nothing.
 */
export async function makeFolderDurably(path: string, mode?: number): Promise<void> {
  const first = await mkdir(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  const highest = first === undefined ? path : first;
  for (let at = path; ; at = dirname(at)) {
    await syncIfPermitted(dirname(at), first !== undefined);
    if (at === highest || dirname(at) === at) return;
  }
}

/** The parent of a folder that an operator created may not be accessible to the service. */
async function syncIfPermitted(folder: string, isRequired: boolean): Promise<void> {
  try {
    await fsyncFolder(folder);
  } catch (error) {
    if (isRequired || !['EACCES', 'EPERM', 'EROFS', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}
