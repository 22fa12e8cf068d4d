// The processes of the proxy: its master, the current worker, and the draining ones that serve what they still hold.
import { type ConverseOptions, type Deadline, type MasterSocket, MasterSocketError } from './master-socket.ts';
import { socketFailureReason } from './master-socket-error.ts';
import { processStartTime } from './process.ts';
import { parseShowProc, type WorkerRow } from './show-proc.ts';

export interface Worker {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat, identity together with the pid; null when unreadable. */
  readonly startTime: number | null;
  readonly version: string;
}

export interface Processes {
  readonly master: {
    readonly pid: number;
    readonly reloads: number;
    readonly failed: number | null;
    readonly version: string;
  };
  readonly current: readonly Worker[];
  readonly draining: readonly Worker[];
}

/**
 * @param path of the socket that gave the body, for the error
 * @throws MasterSocketError `garbled` when the body is not a whole `show proc`; `exhausted` when no file descriptor is
 *   left to see in /proc who the listed are
 */
export async function processesFrom(path: string, body: string): Promise<Processes> {
  const rows = parseShowProc(body);
  if (rows === null) throw notShowProc(path, [body]);
  try {
    return {
      master: rows.master,
      current: await Promise.all(rows.current.map(identify)),
      draining: await Promise.all(rows.draining.map(identify)),
    };
  } catch (error) {
    if (socketFailureReason(error as NodeJS.ErrnoException, true) !== 'exhausted') throw error;
    const detail =
      'who its workers are could not be looked at: this service can open nothing more (no file descriptor is left)';
    throw new MasterSocketError('exhausted', { path, command: 'show proc', responses: [body], detail, cause: error });
  }
}

async function identify(row: WorkerRow): Promise<Worker> {
  return { pid: row.pid, startTime: await processStartTime(row.pid), version: row.version };
}

/** Rejects with MasterSocketError; 'garbled' when the reply is not a `show proc`. */
export async function showProcesses(
  socket: MasterSocket,
  deadline: Deadline,
  options: ConverseOptions = {},
): Promise<Processes> {
  const conversation = await socket.converse(deadline, options);
  const bodies = await conversation.finish(['show proc']);
  return await processesFrom(socket.path, bodies[0] ?? '');
}

function notShowProc(path: string, responses: readonly string[]): MasterSocketError {
  const said = JSON.stringify(responses.at(-1)?.slice(0, 200) ?? '');
  const detail = `its reply to "show proc" cannot be read: ${said}`;
  return new MasterSocketError('garbled', { path, command: 'show proc', responses, detail });
}
