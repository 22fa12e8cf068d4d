// Certificates that must be neither overwritten nor deleted get a name of their own: `c-….pem.newer`, `c-….pem.newer-2` …
import { link, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSecretFile, fsyncFolder } from '../files/atomic-file.ts';
import { freeName } from './file-identity.ts';
import { type FoundContent, hasContent, UNREADABLE } from './pem-file.ts';

/**
 * The file stays where it is, so that HAProxy finds one at any moment; one that cannot be read is moved. Durable on
 * return. The same content is kept once.
 * @returns where it is kept
 * @throws system errors: it is where it was
 */
export async function keepBeside(path: string, content: FoundContent, temporaryFolder: string): Promise<string> {
  if (content === UNREADABLE) return await moveAside(path, content);
  const { name, isFree } = await nameFor(path, content);
  if (!isFree) return name;
  try {
    await link(path, name);
  } catch (error) {
    // The kernel permits it to the owner of a file, and to who may read and write it (proc(5), protected_hardlinks).
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    if (!(await createSecretFile(name, content, temporaryFolder)))
      return await keepBeside(path, content, temporaryFolder);
  }
  await fsyncFolder(dirname(path));
  return name;
}

/** Like `keepBeside`, for a file whose place is needed: it may be moved. Needs no room on the disk. */
export async function moveAside(path: string, content: FoundContent): Promise<string> {
  const { name, isFree } = await nameFor(path, content);
  if (isFree) {
    await rename(path, name);
    await fsyncFolder(dirname(path));
  }
  return name;
}

function nameFor(path: string, content: FoundContent) {
  return freeName(`${path}.newer`, (name) => hasContent(name, content));
}
