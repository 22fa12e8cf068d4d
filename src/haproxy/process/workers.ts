// The master, the current worker, the draining workers that finish their connections, and a worker that is still
// starting.
//
// The sections of `show proc` do not show which worker serves. From 3.1 on the worker reads the configuration itself:
// during a reload `# workers` lists a process that cannot be reached yet, and after a refused reload it is empty while
// the serving worker stays under `# old workers`, among the draining ones (3.2.26, 3.4.0). The master's reply to a
// command for it identifies a starting worker, its own reply a draining one.

import { processAlive, processStartTime } from '../../system/processes.ts';
import { type ConverseOptions, type Deadline, type MasterSocket, MasterSocketError } from '../socket/master-socket.ts';
import { socketFailureReason } from '../socket/master-socket-error.ts';
import { isWorkerGone } from '../socket/replies.ts';
import { type MasterRow, type ProcRows, parseShowProc, type WorkerRow } from '../socket/show-proc.ts';

export interface Worker {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat, identity together with the pid; null when unreadable. */
  readonly startTime: number | null;
  readonly version: string;
}

export interface Processes {
  readonly master: MasterRow;
  /**
   * The worker that accepts connections, reached by `@1`. Empty while the first worker starts, and when none accepts
   * any: from 3.1 on the master outlives a serving worker that dies after a refused reload.
   */
  readonly current: readonly Worker[];
  /** False: the current worker hangs. */
  readonly currentAnswered: boolean;
  readonly draining: readonly Worker[];
  /** Listed, and not reachable by commands yet. */
  readonly starting: readonly Worker[];
}

export interface Listing {
  readonly master: MasterRow;
  /** Newest first. */
  readonly workers: readonly Worker[];
}

/** The master refuses a command for a starting worker at once, so a slower reply is not the master's. */
const probeMs = 1_000;
/** With less time than this a worker on a busy machine is not reported as hanging. */
const shortestProbeMs = 200;

/** By pid and start time: a worker that answered a command has started. */
const answeredBefore = new WeakMap<MasterSocket, ReadonlySet<string>>();

/**
 * `show proc`, and one harmless command to each worker under `# workers` that has not answered one before. If none of
 * those has started, the newest of the others is asked each time whether it drains.
 * @throws MasterSocketError; 'garbled' when the reply is not a `show proc`, 'deadline' also when the time was too short
 * to distinguish a starting worker from a hanging one
 */
export async function showProcesses(
  socket: MasterSocket,
  deadline: Deadline,
  options: ConverseOptions = {},
): Promise<Processes> {
  return await processesFrom(socket, await askShowProc(socket, deadline, options), deadline, options);
}

/** Without a command to any worker. @throws MasterSocketError as `showProcesses` */
export async function listProcesses(
  socket: MasterSocket,
  deadline: Deadline,
  options: ConverseOptions = {},
): Promise<Listing> {
  const { master, workers, oldWorkers } = await identified(socket, await askShowProc(socket, deadline, options));
  return { master, workers: [...workers, ...oldWorkers].toSorted(newestFirst).map(worker) };
}

/**
 * For a `show proc` reply received before; see `showProcesses`.
 * @throws MasterSocketError; `exhausted` when no file descriptor is left to read /proc
 */
export async function processesFrom(
  socket: MasterSocket,
  body: string,
  deadline: Deadline,
  options: ConverseOptions = {},
): Promise<Processes> {
  const { master, workers, oldWorkers } = await identified(socket, body);
  const ask = (pid: number) => probe(socket, pid, Math.min(deadline, performance.now() + probeMs), options);
  const before = answeredBefore.get(socket);
  const answered = new Set([...workers, ...oldWorkers].map(identity).filter((one) => before?.has(one)));
  answeredBefore.set(socket, answered);
  const current: ListedWorker[] = [];
  let currentAnswered = true;
  /** Returns those that have not started. */
  const take = async (candidates: readonly ListedWorker[]): Promise<ListedWorker[]> => {
    const starting: ListedWorker[] = [];
    for (const one of candidates) {
      const state = answered.has(identity(one)) ? 'serving' : await ask(one.pid);
      if (state === 'unreachable') {
        starting.push(one);
        continue;
      }
      current.push(one);
      if (state === 'hanging') currentAnswered = false;
      else answered.add(identity(one));
    }
    return starting;
  };
  let starting = await take(workers);
  // `@1` reaches the worker with the fewest reloads. A draining worker accepts no connections.
  const [newestOld] = oldWorkers.toSorted(newestFirst);
  if (current.length === 0 && newestOld !== undefined) {
    const state = await ask(newestOld.pid);
    if (state === 'serving' || state === 'hanging') current.push(newestOld);
    currentAnswered = state !== 'hanging';
    // If it drains or is gone, another may have taken over since the first command.
    if (current.length === 0) starting = await take(starting);
  }
  return {
    master,
    current: current.map(worker),
    currentAnswered: current.length > 0 && currentAnswered,
    draining: oldWorkers.filter((old) => !current.includes(old)).map(worker),
    starting: starting.map(worker),
  };
}

/**
 * When HAProxy began to read the configuration that this worker runs, or shortly before, in ms of the wall clock. The
 * worker's own start is no such moment: up to 3.0 the master reads and then forks. Null: master or worker do not answer.
 */
export async function configurationReadSince(
  socket: MasterSocket,
  pid: number,
  deadline: Deadline,
): Promise<number | null> {
  try {
    const conversation = await socket.converse(Math.min(deadline, performance.now() + probeMs));
    // `float`: with fractions of a second.
    const [info = ''] = await conversation.finish([`@!${pid} show info float`]);
    const [, seconds] = /^Start_time_sec: (\d{1,12}(?:\.\d{1,6})?)$/m.exec(info) ?? [];
    return seconds === undefined ? null : Number(seconds) * 1_000;
  } catch (error) {
    if (!(error instanceof MasterSocketError)) throw error;
    return null;
  }
}

/** False also if no file descriptor is left to read /proc. */
export async function hasExited({ pid, startTime }: Pick<Worker, 'pid' | 'startTime'>): Promise<boolean> {
  // /proc may hide the processes of other users.
  if (startTime === null) return !pidExists(pid);
  try {
    return !(await processAlive(pid, startTime));
  } catch (error) {
    if (socketFailureReason(error as NodeJS.ErrnoException, true) !== 'exhausted') throw error;
    return false;
  }
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

interface Listed {
  readonly master: MasterRow;
  readonly workers: readonly ListedWorker[];
  readonly oldWorkers: readonly ListedWorker[];
}

interface ListedWorker extends Worker {
  readonly reloads: number;
}

function newestFirst(one: ListedWorker, other: ListedWorker): number {
  return one.reloads - other.reloads;
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

/** `unreachable`: it starts or has exited. `hanging`: no reply in time. */
type WorkerState = 'serving' | 'draining' | 'unreachable' | 'hanging';

/** @throws MasterSocketError when the master is gone, or the time was too short for a verdict */
async function probe(
  socket: MasterSocket,
  pid: number,
  deadline: Deadline,
  options: ConverseOptions,
): Promise<WorkerState> {
  let given = 0;
  try {
    const conversation = await socket.converse(deadline, options);
    given = deadline - performance.now();
    const [info = ''] = await conversation.finish([`@!${pid} show info`]);
    return /^Stopping: [^0]/m.test(info) ? 'draining' : 'serving';
  } catch (error) {
    if (!(error instanceof MasterSocketError)) throw error;
    if (isWorkerGone(error.partial)) return 'unreachable';
    const unanswered = error.reason === 'deadline' && error.command !== '' && given >= shortestProbeMs;
    if (unanswered || error.reason === 'cut-short') return 'hanging';
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
      'its workers could not be identified: this service cannot open another file (no file descriptor is left)';
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
