import { X509Certificate } from 'node:crypto';
import { chmod, lstat, readFile } from 'node:fs/promises';
import { getuid } from 'node:process';
import { isMissing } from '../files/atomic-file.ts';
import { sha256Of } from '../x509/served-chain.ts';

/** Of a file that this service may not read, such as one of root: it may have any certificate. */
export const UNREADABLE = Symbol('unreadable');
export type FoundContent = Buffer | typeof UNREADABLE;

/** What the file has, if its first certificate begins after that of `pem`; null: it does not, as a link or damaged file. */
export async function newerIn(path: string, pem: string): Promise<FoundContent | null> {
  const found = await contentOf(path);
  if (found === null || found === UNREADABLE) return found;
  return beginOf(found) > beginOf(Buffer.from(pem)) ? found : null;
}

/** The first certificate of the file; null: it has none. `sha256` null: not known. */
export async function certificateIn(
  path: string,
): Promise<{ readonly content: FoundContent; readonly sha256: string | null } | null> {
  const content = await contentOf(path);
  if (content === null) return null;
  if (content === UNREADABLE) return { content, sha256: null };
  const certificate = firstOf(content);
  return certificate === null ? null : { content, sha256: sha256Of(certificate) };
}

/** Whether the file is known to have this content. */
export async function hasContent(path: string, content: FoundContent): Promise<boolean> {
  if (content === UNREADABLE) return false;
  const found = await contentOf(path);
  return found !== null && found !== UNREADABLE && found.equals(content);
}

/** Null: no regular file. */
async function contentOf(path: string): Promise<FoundContent | null> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) return null;
    if ((found.mode & 0o400) === 0 && found.uid === getuid?.()) await chmod(path, 0o600);
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return null;
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return UNREADABLE;
    throw error;
  }
}

/** Negative infinity: it has no certificate. */
function beginOf(pem: Buffer): number {
  return firstOf(pem)?.validFromDate.getTime() ?? Number.NEGATIVE_INFINITY;
}

function firstOf(pem: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
