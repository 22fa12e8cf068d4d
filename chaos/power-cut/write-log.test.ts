import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Random } from '../random.ts';
import { Changes, FolderNode, type Loss } from './disk.ts';
import { systemCalls } from './system-calls.ts';
import { leaveAfter, WriteLog } from './write-log.ts';

const hex = (text: string) => [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const root = '/r';
const path = (name: string) => `"${hex(`${root}/${name}`)}"`;
const cwd = `AT_FDCWD<${hex('/')}>`;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** What a failure leaves of an empty disk: path → content. */
function left(lines: readonly string[], loss: Loss, count = lines.length): Record<string, string> {
  const changes = new Changes();
  const player = new WriteLog(systemCalls(lines), root).player({ top: new FolderNode(changes), changes });
  player.playTo(count);
  const folder = mkdtempSync(join(tmpdir(), 'pm-left-'));
  folders.push(folder);
  leaveAfter(player.disk, folder, loss, new Random(1));
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [file.slice(folder.length + 1), readFileSync(file, 'utf8')];
    }),
  );
}

const atomicWrite = [
  `1 openat(${cwd}, ${path('.tmp')}, O_WRONLY|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = 5<x>`,
  `1 write(5<x>, "${hex('new')}", 3) = 3`,
  '1 fsync(5<x>) = 0',
  '1 close(5<x>) = 0',
  `1 rename(${path('.tmp')}, ${path('file')}) = 0`,
  `1 openat(${cwd}, "${hex(root)}", O_RDONLY|O_CLOEXEC) = 5<x>`,
  '1 fsync(5<x>) = 0',
];

it('an atomic write is durable once its folder is synced, not before', () => {
  expect(left(atomicWrite, 'all')).toEqual({ file: 'new' });
  expect(left(atomicWrite, 'all', 6)).toEqual({});
  expect(left(atomicWrite, 'nothing', 6)).toEqual({ file: 'new' });
});

it('a synced file is lost with its unsynced folder', () => {
  const inFolder = [
    `1 mkdir(${path('folder')}, 0777) = 0`,
    ...atomicWrite.map((line) => line.replaceAll(hex(root), hex(`${root}/folder`))),
  ];
  expect(left(inFolder, 'all')).toEqual({});
  expect(left(inFolder, 'nothing')).toEqual({ 'folder/file': 'new' });
});

it('replays positioned writes, appends and truncations', () => {
  const lines = [
    `1 openat(${cwd}, ${path('file')}, O_RDWR|O_CREAT, 0600) = 5<x>`,
    `1 pwrite64(5<x>, "${hex('abcdef')}", 6, 2) = 6`,
    `1 openat(${cwd}, ${path('file')}, O_WRONLY|O_APPEND) = 6<x>`,
    `1 writev(6<x>, [{iov_base="${hex('g')}", iov_len=1}, {iov_base="${hex('h')}", iov_len=1}], 2) = 2`,
    '1 ftruncate(5<x>, 9) = 0',
  ];
  expect(left(lines, 'nothing')).toEqual({ file: '\0\0abcdefg' });
});

it('a descriptor that was reused during its close belongs to the new file', () => {
  const lines = [
    `1 openat(${cwd}, ${path('old')}, O_WRONLY|O_CREAT, 0600) = 5<x>`,
    '2 close(5<x> <unfinished ...>',
    `1 openat(${cwd}, ${path('new')}, O_WRONLY|O_CREAT, 0600) = 5<x>`,
    '2 <... close resumed>) = 0',
    `1 write(5<x>, "${hex('!')}", 1) = 1`,
  ];
  expect(left(lines, 'nothing', 4)).toEqual({ old: '', new: '!' });
});

it('calls of other programs are ignored', () => {
  const lines = [
    `1 execve("${hex('/node')}", [], 0x7) = 0`,
    '1 vfork() = 9',
    `9 execve("${hex('/haproxy')}", [], 0x7) = 0`,
    `9 openat(${cwd}, ${path('pid')}, O_WRONLY|O_CREAT, 0600) = 5<x>`,
  ];
  expect(left(lines, 'nothing')).toEqual({});
});

it('answers are found by their request id', () => {
  const text = `HTTP/1.1 201 Created\r\nx-request-id: op-7\r\n\r\n{}`;
  const lines = [
    `1 write(20<socket:[1]>, "${hex(text)}", 60) = 60`,
    `1 write(20<socket:[1]>, "${hex(text.replace('201', '503'))}", 60) = 60`,
  ];
  expect(new WriteLog(systemCalls(lines), root).answers()).toEqual([{ id: 'op-7', at: 0 }]);
});
