import { X509Certificate } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { isMissing } from '../files/atomic-file.ts';

/** Whether the first certificate of the file begins after that of `pem`. A link, or what is no certificate: false. */
export async function isNewer(path: string, pem: string): Promise<boolean> {
  try {
    if (!(await lstat(path)).isFile()) return false;
    const found = await readFile(path, 'utf8');
    return found !== pem && beginOf(found) > beginOf(pem);
  } catch (error) {
    if (isMissing(error)) return false;
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
