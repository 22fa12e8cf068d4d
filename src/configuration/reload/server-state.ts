import { stat } from 'node:fs/promises';
import { isMissing, writeFileAtomically } from '../../files/atomic-file.ts';

/** A valid file without servers: HAProxy warns about a missing or empty one. */
const noState = '1\n# be_id be_name srv_id srv_name srv_addr\n';

export async function ensureServerStateFile(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await writeFileAtomically(path, noState);
  }
}

/**
 * Keeps the answer to `show servers state` (stats socket) for the next worker. False, and nothing written, for any
 * other or a truncated answer: the previous state is better.
 */
export async function keepServerState(path: string, answer: string): Promise<boolean> {
  if (!answer.startsWith('1\n# be_id ') || !answer.endsWith('\n\n')) return false;
  await writeFileAtomically(path, answer);
  return true;
}
