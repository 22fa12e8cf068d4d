// Another process on HAProxy's ports (a second proxy) would serve part of the requests past the blocked map, and
// SO_REUSEPORT lets it start without an error. So the kernel's listening sockets are compared with those of the
// workers.
import { open, readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, commandLine, isUnreadable } from '../system/processes.ts';

/** An address of a `bind` line; `host` without brackets, wildcards written out. */
export interface OwnAddress {
  readonly host: string;
  readonly port: number;
}

interface ListeningSocket {
  /** As the kernel prints it: hexadecimal, in words of the machine's byte order. */
  readonly address: string;
  readonly port: number;
  readonly uid: string;
  readonly inode: string;
}

const wildcards = new Set(['00000000', '00000000000000000000000000000000']);

/** Listening sockets that overlap an address of `own` and that none of `pids` holds. */
export async function foreignListeners(
  own: readonly OwnAddress[],
  pids: readonly number[],
): Promise<readonly ListeningSocket[]> {
  const listening = (await listeningSockets()).filter((socket) => own.some((address) => overlaps(socket, address)));
  if (listening.length === 0) return [];
  const held = new Set<string>();
  for (const pid of pids) for (const inode of await socketInodes(pid)) held.add(inode);
  const hidden = await usersOfHidden(pids);
  return listening.filter((socket) => !held.has(socket.inode) && !hidden.has(socket.uid));
}

const checks = 3;
const checkEveryMs = 100;

interface OwnProcesses {
  /** Including the master. */
  readonly pids: readonly number[];
  readonly masterPid: number | null;
}

/**
 * Foreign listeners that are found at every check. During a reload the master itself listens, forks and closes again
 * before the new worker is listed; so the master's children at each check count as its own.
 * @param foreign listeners on HAProxy's addresses that none of the given processes holds
 */
export async function persistentForeignListeners<Listener>(
  { pids, masterPid }: OwnProcesses,
  foreign: (pids: readonly number[]) => Promise<readonly Listener[]>,
  given: { readonly children: typeof childrenOf; readonly pause: (ms: number) => Promise<unknown> } = {
    children: childrenOf,
    pause: sleep,
  },
): Promise<readonly Listener[]> {
  let found = await foreign(pids);
  for (let checked = 0; found.length > 0 && masterPid !== null && checked < checks; checked += 1) {
    await given.pause(checkEveryMs);
    found = await foreign([...pids, ...(await given.children(masterPid))]);
  }
  return found;
}

/**
 * `port 80 (process 4711, haproxy -f …)` for each. Reads every descriptor of every process, up to a second on a busy
 * machine: only for listeners that persist.
 */
export async function describeSockets(sockets: readonly ListeningSocket[]): Promise<readonly string[]> {
  if (sockets.length === 0) return [];
  const owners = await ownersOf(new Set(sockets.map((socket) => socket.inode)));
  const texts = sockets.map((socket) => `port ${socket.port} (${owners.get(socket.inode) ?? 'an unknown process'})`);
  return [...new Set(texts)];
}

/** Whether one of `pids` listens at the address; if its descriptors are hidden, whether its user does. */
export async function listensAt(address: OwnAddress, pids: readonly number[]): Promise<boolean> {
  const listening = (await listeningSockets()).filter((socket) => overlaps(socket, address));
  if (listening.length === 0) return false;
  const hidden = await usersOfHidden(pids);
  if (listening.some(({ uid }) => hidden.has(uid))) return true;
  const inodes = new Set(listening.map((one) => one.inode));
  for (const pid of pids) if ((await socketInodes(pid)).some((inode) => inodes.has(inode))) return true;
  return false;
}

/** Only two different IPv4 addresses certainly do not overlap; a false alarm is better than none. */
function overlaps(socket: ListeningSocket, own: OwnAddress): boolean {
  if (socket.port !== own.port) return false;
  if (wildcards.has(socket.address) || own.host === '0.0.0.0' || own.host === '::') return true;
  const host = ipv4Words(own.host);
  // A socket bound to one IPv6 address takes nothing from an IPv4 one.
  return host === null ? socket.address.length > 8 : socket.address === host;
}

/** `127.0.0.1` as /proc/net/tcp has it on a little-endian machine: `0100007F`. Null: not an IPv4 address. */
function ipv4Words(host: string): string | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host)?.slice(1).map(Number);
  if (parts === undefined) return null;
  const hex = Buffer.from(parts).toString('hex').toUpperCase();
  const [a, b, c, d] = hex.match(/../g) ?? [];
  return littleEndian ? `${d}${c}${b}${a}` : hex;
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

async function listeningSockets(): Promise<ListeningSocket[]> {
  const sockets: ListeningSocket[] = [];
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) sockets.push(...(await listeningSocketsIn(path)));
  return sockets;
}

/**
 * The kernel lists listening sockets before connections, of which a busy proxy has tens of thousands: those are not
 * read.
 */
export async function listeningSocketsIn(path: string): Promise<ListeningSocket[]> {
  const sockets: ListeningSocket[] = [];
  for await (const line of linesIfThere(path)) {
    // `sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode …`; state 0A is LISTEN
    const words = line.trim().split(/\s+/);
    if (words[0] === 'sl') continue;
    if (words[3] !== '0A') break;
    const [address = '', port = ''] = words[1]?.split(':') ?? [];
    sockets.push({ address, port: Number.parseInt(port, 16), uid: words[7] ?? '', inode: words[9] ?? '' });
  }
  return sockets;
}

/**
 * The users of those of `pids` whose descriptors this process may not read (root's proxy beside an unprivileged
 * service). Since their sockets are unknown, only sockets of other users are reported as foreign.
 */
async function usersOfHidden(pids: readonly number[]): Promise<Set<string>> {
  const users = new Set<string>();
  for (const pid of pids) {
    if (!(await hidesDescriptors(pid))) continue;
    // `Uid: real effective saved filesystem`. Sockets have the effective one; a proxy may have changed it since.
    const ids = /^Uid:\s*(.*)$/m.exec(await readIfThere(`/proc/${pid}/status`))?.[1]?.split(/\s+/) ?? [];
    for (const id of ids) users.add(id);
  }
  return users;
}

/**
 * For a proxy that changed its user, root without CAP_SYS_PTRACE (as in the unit) may list the descriptors and read
 * none.
 */
async function hidesDescriptors(pid: number): Promise<boolean> {
  try {
    for (const name of await readdir(`/proc/${pid}/fd`)) {
      try {
        await readlink(`/proc/${pid}/fd/${name}`);
        return false;
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        if (isDenied(error)) return true;
      }
    }
    return false;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return true;
  }
}

/** The holders that this process may see: `process 4711, haproxy -f …`. */
async function ownersOf(inodes: ReadonlySet<string>): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    for (const inode of await socketInodes(Number(name))) {
      if (!inodes.has(inode) || owners.has(inode)) continue;
      const words = (await commandLine(Number(name))) ?? [];
      owners.set(inode, `process ${name}, ${words.join(' ').slice(0, 120)}`);
    }
  }
  return owners;
}

async function socketInodes(pid: number): Promise<string[]> {
  const inodes: string[] = [];
  let names: string[];
  try {
    names = await readdir(`/proc/${pid}/fd`);
  } catch (error) {
    if (isUnreadable(error)) return inodes;
    throw error;
  }
  for (const name of names) {
    try {
      const match = /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/${pid}/fd/${name}`));
      if (match?.[1] !== undefined) inodes.push(match[1]);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
  }
  return inodes;
}

/** Some thirty sockets: the kernel walks its connections to fill a larger read. */
const chunkBytes = 4_096;

async function* linesIfThere(path: string): AsyncGenerator<string> {
  try {
    const file = await open(path);
    try {
      const bytes = Buffer.alloc(chunkBytes);
      let rest = '';
      for (;;) {
        const { bytesRead } = await file.read(bytes);
        if (bytesRead === 0) break;
        const lines = (rest + bytes.toString('latin1', 0, bytesRead)).split('\n');
        rest = lines.pop() ?? '';
        yield* lines;
      }
      if (rest !== '') yield rest;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if (isUnreadable(error)) return '';
    throw error;
  }
}

function isDenied(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
}
