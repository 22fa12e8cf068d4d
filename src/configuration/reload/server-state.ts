import { stat } from 'node:fs/promises';
import { isMissing, writeFileAtomically } from '../../files/atomic-file.ts';

/** What HAProxy loads without a word: the version of the form, and no server. A file without it gets a warning. */
const noState = '1\n# be_id be_name srv_id srv_name srv_addr\n';

/** Makes the file that `server_state_file` names, where there is none yet. */
export async function ensureServerStateFile(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await writeFileAtomically(path, noState);
  }
}

/**
 * Keeps a worker's answer to `show servers state` (stats socket) for the worker that follows. False, and nothing
 * written, when the answer is something else or was cut short: what was kept before is better.
 */
export async function keepServerState(path: string, answer: string): Promise<boolean> {
  if (!answer.startsWith('1\n# be_id ') || !answer.endsWith('\n\n')) return false;
  await writeFileAtomically(path, answer);
  return true;
}
