// The processes of the proxy: its master, the current worker, the draining workers that finish their connections, and a
// worker that is still starting.
//
// The sections of `show proc` do not say which worker serves. From 3.1 on the worker reads the configuration itself, so
// during a reload `# workers` lists a process that serves nothing yet, and after a refused reload `# workers` is empty
// while the serving worker stays under `# old workers` (3.2.26, 3.4.0). A starting worker is told apart by what the
// master answers to a command for it.
import { type ConverseOptions, type Deadline, type MasterSocket, MasterSocketError } from './master-socket.ts';
import { socketFailureReason } from './master-socket-error.ts';
import { processStartTime } from './process.ts';
import { isWorkerGone } from './replies.ts';
import { type MasterRow, type ProcRows, parseShowProc, type WorkerRow } from './show-proc.ts';

export interface Worker {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat, identity together with the pid; null when unreadable. */
  readonly startTime: number | null;
  readonly version: string;
}

export interface Processes {
  readonly master: MasterRow;
  /** The worker that takes new connections, which `@1` reaches. Empty while the first worker starts. */
  readonly current: readonly Worker[];
  /** False: the current worker was not seen to answer a command. It hangs, or `listProcesses` did not ask it. */
  readonly currentAnswered: boolean;
  readonly draining: readonly Worker[];
  /** Listed, but not serving: the master forwards no command to them yet. */
  readonly starting: readonly Worker[];
}

/** A command for a starting worker is refused by the master at once, so a slower answer is not from the master. */
const probeMs = 1_000;

/**
 * `show proc`, and one harmless command to each worker under `# workers` that never answered before.
 * @throws MasterSocketError; 'garbled' when the reply is not a `show proc`
 */
export async function showProcesses(
  socket: MasterSocket,
  deadline: Deadline,
  options: ConverseOptions = {},
): Promise<Processes> {
  return await processesFrom(socket, await askShowProc(socket, deadline, options), deadline, options);
}

/** `show proc` alone: a starting worker counts as current. @throws MasterSocketError as `showProcesses` */
export async function listProcesses(
  socket: MasterSocket,
  deadline: Deadline,
  options: ConverseOptions = {},
): Promise<Processes> {
  return interpret(await identified(socket, await askShowProc(socket, deadline, options)), new Set(), false);
}

/**
 * The processes of a `show proc` reply that came already; see `showProcesses`.
 * @throws MasterSocketError; `exhausted` when no file descriptor is left to read /proc
 */
export async function processesFrom(
  socket: MasterSocket,
  body: string,
  deadline: Deadline,
  options: ConverseOptions = {},
): Promise<Processes> {
  const listed = await identified(socket, body);
  socket.keepAnswered([...listed.workers, ...listed.oldWorkers].map(identity));
  const starting = new Set<number>();
  let answered = true;
  for (const worker of listed.workers) {
    if (socket.hasAnswered(identity(worker))) continue;
    const state = await probe(socket, worker.pid, Math.min(deadline, performance.now() + probeMs), options);
    if (state === 'ready') socket.markAnswered(identity(worker));
    else if (state === 'starting') starting.add(worker.pid);
    else answered = false;
  }
  return interpret(listed, starting, answered);
}

interface Listed {
  readonly master: MasterRow;
  readonly workers: readonly ListedWorker[];
  readonly oldWorkers: readonly ListedWorker[];
}

interface ListedWorker extends Worker {
  readonly reloads: number;
}

/** As the master chooses the target of `@1`: of the workers that are not starting, the one with the fewest reloads. */
function interpret(
  { master, workers, oldWorkers }: Listed,
  starting: ReadonlySet<number>,
  answered: boolean,
): Processes {
  const ready = workers.filter(({ pid }) => !starting.has(pid));
  const latestOld = oldWorkers.toSorted((one, other) => one.reloads - other.reloads).slice(0, 1);
  const current = ready.length > 0 ? ready : latestOld;
  return {
    master,
    current: current.map(worker),
    currentAnswered: ready.length > 0 ? answered : current.length > 0,
    draining: oldWorkers.filter((old) => !current.includes(old)).map(worker),
    starting: workers.filter(({ pid }) => starting.has(pid)).map(worker),
  };
}

function worker({ pid, startTime, version }: ListedWorker): Worker {
  return { pid, startTime, version };
}

function identity({ pid, startTime }: Worker): string {
  return `${pid}:${startTime ?? '?'}`;
}

async function askShowProc(socket: MasterSocket, deadline: Deadline, options: ConverseOptions): Promise<string> {
  const conversation = await socket.converse(deadline, options);
  return (await conversation.finish(['show proc']))[0] ?? '';
}

/** 'unknown': no answer in time, which a worker gives that hangs. @throws MasterSocketError when the master is gone */
async function probe(
  socket: MasterSocket,
  pid: number,
  deadline: Deadline,
  options: ConverseOptions,
): Promise<'ready' | 'starting' | 'unknown'> {
  try {
    const conversation = await socket.converse(deadline, options);
    await conversation.finish([`@!${pid} show map`]);
    return 'ready';
  } catch (error) {
    if (!(error instanceof MasterSocketError)) throw error;
    if (isWorkerGone(error.partial)) return 'starting';
    if (error.reason === 'deadline' || error.reason === 'cut-short') return 'unknown';
    throw error;
  }
}

/** @throws MasterSocketError 'garbled' when the reply is not a `show proc` */
export function readShowProc(path: string, body: string): ProcRows {
  const rows = parseShowProc(body);
  if (rows !== null) return rows;
  const detail = `its reply to "show proc" cannot be read: ${JSON.stringify(body.slice(0, 200))}`;
  throw new MasterSocketError('garbled', { path, command: 'show proc', responses: [body], detail });
}

async function identified(socket: MasterSocket, body: string): Promise<Listed> {
  const rows = readShowProc(socket.path, body);
  try {
    return {
      master: rows.master,
      workers: await Promise.all(rows.workers.map(identify)),
      oldWorkers: await Promise.all(rows.oldWorkers.map(identify)),
    };
  } catch (error) {
    if (socketFailureReason(error as NodeJS.ErrnoException, true) !== 'exhausted') throw error;
    const detail =
      'who its workers are could not be looked at: this service can open nothing more (no file descriptor is left)';
    throw new MasterSocketError('exhausted', {
      path: socket.path,
      command: 'show proc',
      responses: [body],
      detail,
      cause: error,
    });
  }
}

async function identify({ pid, reloads, version }: WorkerRow): Promise<ListedWorker> {
  return { pid, startTime: await processStartTime(pid), version, reloads };
}
