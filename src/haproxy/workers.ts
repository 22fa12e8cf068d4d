// The processes of the proxy: its master, the current worker, and the draining ones that serve what they still hold.
import { type ConverseOptions, type Deadline, type MasterSocket, MasterSocketError } from './master-socket.ts';
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

/** Null when the body is not a whole `show proc`. */
export async function processesFrom(body: string): Promise<Processes | null> {
  const rows = parseShowProc(body);
  if (rows === null) return null;
  return {
    master: rows.master,
    current: await Promise.all(rows.current.map(identify)),
    draining: await Promise.all(rows.draining.map(identify)),
  };
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
  const processes = await processesFrom(bodies[0] ?? '');
  if (processes !== null) return processes;
  throw notShowProc(socket.path, bodies);
}

export function notShowProc(path: string, responses: readonly string[]): MasterSocketError {
  const said = JSON.stringify(responses.at(-1)?.slice(0, 200) ?? '');
  const detail = `its reply to "show proc" cannot be read: ${said}`;
  return new MasterSocketError('garbled', { path, command: 'show proc', responses, detail });
}
