// Processes as /proc shows them. A pid alone is no identity: pids are reused.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { geteuid } from 'node:process';

interface Stat {
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  /** Clock ticks since boot: with the pid, the identity of a process. */
  readonly startTime: number;
}

// `4711 (name) S 1 …`: the name may contain blanks and parentheses, so fields are counted after the last `)`.
export function parseStat(text: string): Stat | null {
  const end = text.lastIndexOf(') ');
  if (end === -1) return null;
  const fields = text.slice(end + 2).split(' ');
  const [state = '', parent = '', session = '', startTime = ''] = [fields[0], fields[1], fields[3], fields[19]];
  // More fields always follow the start time: without them it may be truncated.
  if (fields.length < 21 || !/^[A-Za-z]$/.test(state)) return null;
  if (![parent, session, startTime].every((field) => NUMBER.test(field))) return null;
  return { state, parent: Number(parent), session: Number(session), startTime: Number(startTime) };
}

const NUMBER = /^\d{1,15}$/;

/** Longer than any stat line: 52 numbers and a name of at most 64 bytes. */
const STAT_BYTES = 2_048;

/** Null when there is no such process, or it may not be read. Synchronous: /proc is memory, some 10 µs. */
function readStat(pid: number): Stat | null {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    try {
      // One read returns the complete line; a second one would only report its end.
      const bytes = Buffer.allocUnsafe(STAT_BYTES);
      return parseStat(bytes.toString('latin1', 0, readSync(file, bytes, 0, STAT_BYTES, null)));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** The process is gone, or this user may not read it. */
export function isUnreadable(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(code);
}

/** Field 22 of /proc/<pid>/stat; null when unreadable. */
export async function processStartTime(pid: number): Promise<number | null> {
  return readStat(pid)?.startTime ?? null;
}

/**
 * Processes that lead a session of their own, like detached ones; their children do not. Only root's and this user's:
 * any user may start a process with arguments of their choice. None in a container, where the same path is another
 * file.
 */
export async function trustedSessionLeaders(ownUid: number = geteuid?.() ?? 0): Promise<number[]> {
  return (await processIds()).filter((pid) => readStat(pid)?.session === pid && isTrusted(pid, ownUid));
}

/** Root's and this user's processes on this machine, without those in containers. */
export async function trustedProcesses(ownUid: number = geteuid?.() ?? 0): Promise<number[]> {
  return (await processIds()).filter((pid) => isTrusted(pid, ownUid));
}

function isTrusted(pid: number, ownUid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    // `NSpid:	4711	1`: its pid inside the container is 1.
    if (/^NSpid:\s*\d+\s+\d/m.test(status)) return false;
    // `Uid: real effective saved filesystem`; a set-uid program keeps the real one of the user that started it.
    const uids = /^Uid:\s*(.+)$/m.exec(status)?.[1]?.split(/\s+/) ?? [];
    return uids.length > 0 && uids.every((uid) => uid === '0' || uid === String(ownUid));
  } catch (error) {
    if (isUnreadable(error)) return false;
    throw error;
  }
}

/** Whether exactly this process runs. With a null start time only the pid is compared. A zombie is dead. */
export async function processAlive(pid: number, startTime: number | null): Promise<boolean> {
  const stat = readStat(pid);
  if (stat === null || stat.state === 'Z' || stat.state === 'X') return false;
  return startTime === null || stat.startTime === startTime;
}

/** Since its start; null when there is no such process, or it may not be read. */
export async function ageMs(pid: number): Promise<number | null> {
  const stat = readStat(pid);
  if (stat === null) return null;
  const [uptimeSeconds] = (await readFile('/proc/uptime', 'utf8')).split(' ');
  return (Number(uptimeSeconds) - stat.startTime / ticksPerSecond) * 1_000;
}

/** Fixed for user space on every architecture that Node supports. */
const ticksPerSecond = 100;

/** The program first; null when there is no such process, or it may not be read. */
export function commandLine(pid: number): Promise<string[] | null> {
  return wordsOf(pid, 'cmdline');
}

/** `NAME=value` each, as at its start; null when it has none, or they may not be read. */
export function environment(pid: number): Promise<string[] | null> {
  return wordsOf(pid, 'environ');
}

async function wordsOf(pid: number, file: 'cmdline' | 'environ'): Promise<string[] | null> {
  try {
    const text = await readFile(`/proc/${pid}/${file}`, 'utf8');
    return text === '' ? null : text.replace(/\0$/, '').split('\0');
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** An update may have replaced the file since; null when it may not be read. */
export async function executableOf(pid: number): Promise<string | null> {
  return (await linkOf(pid, 'exe'))?.replace(/ \(deleted\)$/, '') ?? null;
}

/** The folder to which its relative paths refer; null when it may not be read. */
export function workFolderOf(pid: number): Promise<string | null> {
  return linkOf(pid, 'cwd');
}

async function linkOf(pid: number, name: 'exe' | 'cwd'): Promise<string | null> {
  try {
    return await readlink(`/proc/${pid}/${name}`);
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** Null when there is no such process, or it is a zombie. */
export function parentOf(pid: number): number | null {
  const stat = readStat(pid);
  return stat === null || stat.state === 'Z' ? null : stat.parent;
}

/** The systemd service that the process belongs to, such as `haproxy.service`; null: none, or it may not be read. */
export async function unitOf(pid: number): Promise<string | null> {
  try {
    return parseUnit(await readFile(`/proc/${pid}/cgroup`, 'utf8'));
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** `0::/system.slice/haproxy.service`, or on older kernels the line of `name=systemd`. A service may have folders below it. */
export function parseUnit(text: string): string | null {
  const paths = [...text.matchAll(/^(?:0:|\d+:name=systemd):(\/.*)$/gm)].map(([, path = '']) => path.split('/'));
  // A machine may have both hierarchies, with all its units in one of them. A user's session is below that user's own
  // service.
  const units = paths.map((parts) => parts.findLast((part) => /\.(service|scope|slice)$/.test(part)));
  const unit = units.find((found) => found !== undefined);
  return unit?.endsWith('.service') === true ? unit : null;
}

/** The pids of all visible processes; none without /proc. */
export async function processIds(): Promise<number[]> {
  try {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}

/** The pids of the living children of a process. */
export function childrenOf(pid: number): Promise<number[]> {
  return livingProcesses((stat) => stat.parent === pid);
}

/**
 * The pids of the living processes in the session that a process leads or led, its children included, also after its
 * death. Its pid is not reused while there are any. Empty when it led none.
 */
export function membersOfSession(leader: number): Promise<number[]> {
  return livingProcesses((stat) => stat.session === leader);
}

async function livingProcesses(matches: (stat: Stat) => boolean): Promise<number[]> {
  return (await processIds()).filter((pid) => {
    const stat = readStat(pid);
    return stat !== null && stat.state !== 'Z' && matches(stat);
  });
}
