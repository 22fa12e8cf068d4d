// Replays recorded system calls onto a `FolderNode`, and finds the answers to clients in them.
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import { Changes, FileNode, FolderNode, type Loss, type Node } from './disk.ts';
import { numberAt, type SystemCall, stringsOf } from './system-calls.ts';

/** Everything that a replay needs. */
export const recordedCalls = [
  'open,openat,creat,close,dup,dup2,dup3,write,pwrite64,writev,pwritev,sendmsg,sendto,copy_file_range,sendfile',
  'ftruncate,truncate,fallocate,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir',
  'mkdir,mkdirat,fsync,fdatasync,msync,clone,clone3,fork,vfork,execve',
].join(',');

export interface Disk {
  readonly top: FolderNode;
  readonly changes: Changes;
}

interface Open {
  readonly node: Node;
  position: number;
  readonly append: boolean;
  /** Line of the end of the call that opened it. */
  readonly since: number;
}

const answer = /^HTTP\/1\.1 2\d\d [\s\S]*?x-request-id: (op-\d+)\r\n/i;
const spawns = new Set(['clone', 'clone3', 'fork', 'vfork']);

export class WriteLog {
  readonly #calls: readonly SystemCall[];
  readonly #root: string;

  /** @param root everything outside is ignored */
  constructor(calls: Iterable<SystemCall>, root: string) {
    this.#calls = ofTheService([...calls]);
    this.#root = root;
  }

  get length(): number {
    return this.#calls.length;
  }

  /** 2xx answers: request id, and number of the call that sent it. */
  answers(): { readonly id: string; readonly at: number }[] {
    return this.#calls.flatMap((call, at) => {
      if (!['write', 'writev', 'sendmsg', 'sendto'].includes(call.name)) return [];
      const id = answer.exec(Buffer.concat(stringsOf(call.text)).toString('latin1'))?.[1];
      return id === undefined ? [] : [{ id, at }];
    });
  }

  /** Calls that change or sync something below the root: moments for a power failure. */
  moments(): number[] {
    const root = hex(this.#root);
    return this.#calls.flatMap(({ name, text }, at) =>
      !spawns.has(name) && name !== 'execve' && name !== 'close' && text.includes(root) ? [at] : [],
    );
  }

  /** @param disk synced when the recording began */
  player(disk: Disk): Player {
    return new Player(this.#calls, disk, this.#root);
  }
}

/** Only plays forward. */
export class Player {
  readonly disk: Disk;
  readonly #calls: readonly SystemCall[];
  #played = 0;
  readonly #top: FolderNode;
  readonly #changes: Changes;
  readonly #root: string;
  readonly #open = new Map<number, Open>();
  /** For syncs that overlap with writes. */
  #changesAtLine: { readonly line: number; readonly change: number }[] = [];

  constructor(calls: readonly SystemCall[], disk: Disk, root: string) {
    this.disk = disk;
    this.#calls = calls;
    this.#top = disk.top;
    this.#changes = disk.changes;
    this.#root = root;
  }

  /** After the first `count` calls. */
  playTo(count: number): void {
    for (; this.#played < count; this.#played += 1) {
      const call = this.#calls[this.#played];
      if (call !== undefined) this.#play(call);
    }
  }

  #play(call: SystemCall): void {
    this.#apply(call);
    this.#changesAtLine.push({ line: call.ended, change: this.#changes.last });
    if (this.#changesAtLine.length > 4_096) this.#changesAtLine = this.#changesAtLine.slice(-2_048);
  }

  #apply({ name, text, result, began, ended }: SystemCall): void {
    switch (name) {
      case 'open':
      case 'openat':
      case 'creat':
        this.#opened(text, result, ended);
        return;
      case 'close': {
        // The kernel reuses a descriptor before the call that closed it has returned.
        const descriptor = numberAt(text, 0);
        if ((this.#open.get(descriptor)?.since ?? 0) < began) this.#open.delete(descriptor);
        return;
      }
      case 'dup':
      case 'dup2':
      case 'dup3': {
        const old = this.#open.get(numberAt(text, 0));
        if (old !== undefined) this.#open.set(result, old);
        return;
      }
      case 'write':
      case 'writev':
      case 'pwrite64':
      case 'pwritev':
        this.#wrote(name, text, result);
        return;
      case 'copy_file_range':
        this.#copied(numberAt(text, 0), numberAt(text, 2), result);
        return;
      case 'sendfile':
        this.#copied(numberAt(text, 1), numberAt(text, 0), result);
        return;
      case 'ftruncate': {
        const file = this.#open.get(numberAt(text, 0))?.node;
        if (file?.kind === 'file') file.truncate(numberAt(text, 1));
        return;
      }
      case 'fallocate':
      case 'truncate':
      case 'link':
      case 'linkat':
      case 'msync':
        if (text.includes(hex(this.#root))) throw new Error(`${name} is not understood: ${text}`);
        return;
      case 'fsync':
      case 'fdatasync': {
        // A write during the sync may not be part of it.
        const before = this.#changesAtLine.findLast(({ line }) => line < began)?.change ?? 0;
        const node = this.#open.get(numberAt(text, 0))?.node;
        if (node !== undefined && node.kind !== 'link') node.synced(before);
        return;
      }
      case 'mkdir':
      case 'mkdirat': {
        const place = this.#place(pathsOf(text)[0]);
        place?.folder.set([place.name, new FolderNode(this.#changes)]);
        return;
      }
      case 'symlink':
      case 'symlinkat': {
        const [target = '', path] = pathsOf(text);
        const place = this.#place(path);
        place?.folder.set([place.name, { kind: 'link', target }]);
        return;
      }
      case 'unlink':
      case 'unlinkat':
      case 'rmdir': {
        const place = this.#place(pathsOf(text)[0], dirOf(text));
        place?.folder.set([place.name, null]);
        return;
      }
      case 'rename':
      case 'renameat':
      case 'renameat2':
        this.#renamed(text);
        return;
    }
  }

  #opened(text: string, descriptor: number, since: number): void {
    this.#open.delete(descriptor);
    const place = this.#place(pathsOf(text)[0], dirOf(text));
    if (place === null) return;
    let node = this.#followed(place);
    if (node === undefined) {
      if (!text.includes('O_CREAT')) return;
      node = new FileNode(this.#changes);
      place.folder.set([place.name, node]);
    } else if (text.includes('O_TRUNC') && node.kind === 'file' && node.current.length > 0) node.truncate(0);
    this.#open.set(descriptor, { node, position: 0, append: text.includes('O_APPEND'), since });
  }

  #followed(place: { folder: FolderNode; name: string }): Node | undefined {
    const node = place.name === '' ? place.folder : place.folder.get(place.name);
    if (node?.kind !== 'link') return node;
    const path = node.target.startsWith('/') ? node.target : join(this.#pathOf(place.folder), node.target);
    const next = this.#place(path);
    return next?.folder.get(next.name);
  }

  #wrote(name: string, text: string, result: number): void {
    const open = this.#open.get(numberAt(text, 0));
    if (open?.node.kind !== 'file') return;
    const bytes = Buffer.concat(stringsOf(text)).subarray(0, result);
    const positioned = name.startsWith('p');
    const end = open.append ? open.node.current.length : open.position;
    open.node.write(positioned ? Number(/(\d+)$/.exec(text)?.[1]) : end, bytes);
    if (!positioned) open.position = end + result;
  }

  #copied(from: number, to: number, length: number): void {
    const [source, target] = [this.#open.get(from), this.#open.get(to)];
    if (source?.node.kind !== 'file' || target?.node.kind !== 'file' || length === 0) return;
    target.node.write(target.position, source.node.current.subarray(target.position, target.position + length));
    target.position += length;
  }

  #renamed(text: string): void {
    const [from, to] = pathsOf(text).map((path) => this.#place(path));
    if (from == null || to == null) return;
    const node = from.folder.get(from.name);
    if (node === undefined) return;
    if (from.folder === to.folder) from.folder.set([from.name, null], [to.name, node]);
    else {
      to.folder.set([to.name, node]);
      from.folder.set([from.name, null]);
    }
  }

  #place(path: string | undefined, folder = ''): { folder: FolderNode; name: string } | null {
    const whole = path === undefined || path.startsWith('/') || folder === '' ? path : join(folder, path);
    if (whole === this.#root) return { folder: this.#top, name: '' };
    if (whole?.startsWith(`${this.#root}/`) !== true) return null;
    const parts = whole
      .slice(this.#root.length + 1)
      .split('/')
      .filter((part) => part !== '');
    const name = parts.pop() ?? '';
    let at: FolderNode = this.#top;
    for (const part of parts) {
      const next = this.#followed({ folder: at, name: part });
      if (next?.kind !== 'folder') return null;
      at = next;
    }
    return { folder: at, name };
  }

  #pathOf(wanted: FolderNode, at: FolderNode = this.#top, path = this.#root): string {
    if (wanted === at) return path;
    for (const [name, node] of at.current) {
      if (node.kind !== 'folder') continue;
      const found = this.#pathOf(wanted, node, join(path, name));
      if (found !== '') return found;
    }
    return '';
  }
}

/** Everything counts as synced. */
export function diskAt(path: string): Disk {
  const changes = new Changes();
  return { top: folderAt(path, changes), changes };
}

function folderAt(path: string, changes: Changes): FolderNode {
  const entries = new Map<string, Node>();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) entries.set(entry.name, folderAt(child, changes));
    else if (entry.isSymbolicLink()) entries.set(entry.name, { kind: 'link', target: readlinkSync(child) });
    else if (entry.isFile()) entries.set(entry.name, new FileNode(changes, readFileSync(child)));
  }
  return new FolderNode(changes, entries);
}

/** @param path an empty folder */
export function leaveAfter({ top, changes }: Disk, path: string, loss: Loss, random: Random): void {
  const last = random.integer(0, changes.last);
  const leave = (node: FolderNode, at: string): void => {
    for (const [name, child] of node.after(loss, random, last)) {
      const to = join(at, name);
      if (child.kind === 'link') symlinkSync(child.target, to);
      else if (child.kind === 'file') writeFileSync(to, child.after(loss, random, last), { mode: 0o640 });
      else {
        mkdirSync(to, { mode: 0o750 });
        leave(child, to);
      }
    }
  };
  leave(top, path);
}

/** Without the programs that the service started. */
function ofTheService(calls: readonly SystemCall[]): SystemCall[] {
  const foreign = new Set<number>();
  let main: number | null = null;
  return calls.filter((call) => {
    if (call.name === 'execve') {
      main ??= call.thread;
      if (call.thread !== main) foreign.add(call.thread);
    }
    if (!foreign.has(call.thread)) return true;
    if (spawns.has(call.name)) foreign.add(call.result);
    return false;
  });
}

function pathsOf(text: string): string[] {
  return stringsOf(text).map((bytes) => bytes.toString('utf8'));
}

/** The folder (`AT_FDCWD<…>`) of a relative path. */
function dirOf(text: string): string {
  const name = /^[A-Z_0-9]+<((?:\\x[0-9a-f]{2})*)>/.exec(text)?.[1] ?? '';
  return Buffer.from(name.replaceAll('\\x', ''), 'hex').toString('utf8');
}

function hex(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
