import { X509Certificate } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { isMissing } from '../files/atomic-file.ts';

/** What the file has, if its first certificate begins after that of `pem`; null: it does not, as a link or damaged file. */
export async function newerIn(path: string, pem: string): Promise<string | null> {
  const found = await contentOf(path);
  return found !== null && beginOf(found) > beginOf(pem) ? found : null;
}

/** What the file has, if that is a certificate. */
export async function certificateIn(path: string): Promise<string | null> {
  const found = await contentOf(path);
  return found !== null && beginOf(found) > Number.NEGATIVE_INFINITY ? found : null;
}

/** Null: no regular file. */
async function contentOf(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path, 'utf8') : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Negative infinity: it has no certificate. */
function beginOf(pem: string): number {
  try {
    return new X509Certificate(pem).validFromDate.getTime();
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}
