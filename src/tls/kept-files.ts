// Certificates that must be neither overwritten nor deleted get a name of their own: `c-….pem.newer`, `c-….pem.newer-2` …
import { link, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSecretFile, fsyncFolder } from '../files/atomic-file.ts';
import { freeName } from './file-identity.ts';
import { type FoundContent, hasContent, UNREADABLE } from './pem-file.ts';

/**
 * Gives the file a second name. It stays where it is until it is overwritten or deleted, so that HAProxy finds one at any
 * moment, also after a crash. Where the kernel refuses a second name, a file that can be read is copied, and another one is
 * moved. Durable on return. The same content is kept once.
 * @param copyIn the folder for the temporary file of a copy; null: it is moved instead, which needs no room on the disk
 * @returns where it is kept
 * @throws system errors: it is where it was
 */
export async function keepBeside(path: string, content: FoundContent, copyIn: string | null): Promise<string> {
  const { name, isFree } = await freeName(`${path}.newer`, (taken) => hasContent(taken, content));
  if (!isFree) return name;
  try {
    await link(path, name);
  } catch (error) {
    // The kernel permits it to the owner of a file, and to who may read and write it (proc(5), protected_hardlinks).
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    if (content === UNREADABLE || copyIn === null) await rename(path, name);
    else if (!(await createSecretFile(name, content, copyIn))) return await keepBeside(path, content, copyIn);
  }
  await fsyncFolder(dirname(path));
  return name;
}
