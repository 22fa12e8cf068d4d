// A second proxy (or anybody) on our ports would serve part of the requests past the blocked map, and SO_REUSEPORT
// lets it start without complaint. The kernel's list of listening sockets against those that our workers hold.
import { readdir, readFile, readlink } from 'node:fs/promises';

interface ListeningSocket {
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

/** Ports of ours on which a socket listens that none of `pids` holds. */
export async function foreignListeners(ports: ReadonlySet<number>, pids: readonly number[]): Promise<string[]> {
  const listening = (await listeningSockets()).filter((socket) => ports.has(socket.port));
  if (listening.length === 0) return [];
  const own = new Set<string>();
  for (const pid of pids) for (const inode of await socketInodes(pid)) own.add(inode);
  return listening.filter((socket) => !own.has(socket.inode)).map((socket) => `port ${socket.port}`);
}

async function listeningSockets(): Promise<ListeningSocket[]> {
  const sockets: ListeningSocket[] = [];
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (await readIfThere(file)).split('\n').slice(1)) {
      // `sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode …`; state 0A is LISTEN
      const words = line.trim().split(/\s+/);
      if (words[3] !== '0A') continue;
      const [address = '', port = ''] = words[1]?.split(':') ?? [];
      sockets.push({ address, port: Number.parseInt(port, 16), inode: words[9] ?? '' });
    }
  }
  return sockets;
}

async function socketInodes(pid: number): Promise<string[]> {
  const inodes: string[] = [];
  let names: string[];
  try {
    names = await readdir(`/proc/${pid}/fd`);
  } catch (error) {
    if (isGone(error)) return inodes;
    throw error;
  }
  for (const name of names) {
    try {
      const match = /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/${pid}/fd/${name}`));
      if (match?.[1] !== undefined) inodes.push(match[1]);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return inodes;
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if (isGone(error)) return '';
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
}
