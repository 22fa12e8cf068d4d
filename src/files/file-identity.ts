import { stat } from 'node:fs/promises';
import { isMissing } from './atomic-file.ts';

/** Changes whenever the content of a file may have; `missing` without a file. Links are followed. */
export async function fileIdentity(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    if (isMissing(error)) return 'missing';
    throw error;
  }
}
