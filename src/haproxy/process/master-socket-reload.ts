// `reload`, as it is asked for through the master socket.
import { type Deadline, type MasterSocket, MasterSocketError } from '../socket/master-socket.ts';
import { parseReload, type ReloadReply } from '../socket/replies.ts';

/**
 * Asks the master for a reload, on the place that is kept for it. 'silent' (2.6, or a command that was dropped) proves
 * nothing: look for a new worker's pid. Rejects with MasterSocketError; during a reload that is 'refused' or 'reset',
 * and the request was not queued.
 */
export async function askForReload(socket: MasterSocket, deadline: Deadline): Promise<ReloadReply> {
  try {
    return parseReload(await socket.ask('reload', deadline, { reserved: true }));
  } catch (error) {
    if (error instanceof MasterSocketError && error.reason === 'no-reply') return { kind: 'silent' };
    throw error;
  }
}
