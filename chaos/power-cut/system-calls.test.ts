import { expect, it } from 'vitest';
import { numberAt, stringsOf, systemCalls } from './system-calls.ts';

const a = '\\x61';

it('reads complete calls, and leaves out failed ones', () => {
  const calls = [
    ...systemCalls([
      `12  openat(AT_FDCWD<\\x2f>, "${a}", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 17<${a}>`,
      `12  openat(AT_FDCWD<\\x2f>, "${a}", O_RDONLY) = -1 ENOENT (No such file or directory)`,
      '12  +++ exited with 0 +++',
      `12  pwrite64(17<${a}>, "\\x31\\x2e", 2, 4096) = 2`,
    ]),
  ];
  expect(calls.map(({ name, result, began, ended }) => [name, result, began, ended])).toEqual([
    ['openat', 17, 1, 1],
    ['pwrite64', 2, 4, 4],
  ]);
  expect(stringsOf(calls[1]!.text)).toEqual([Buffer.from('1.')]);
  expect([numberAt(calls[1]!.text, 0), numberAt(calls[1]!.text, 3)]).toEqual([17, 4_096]);
});

it('joins the halves of a call, and records what overlapped', () => {
  const calls = [
    ...systemCalls([
      `7  fdatasync(17<${a}> <unfinished ...>`,
      `8  write(17<${a}>, "${a}", 1) = 1`,
      '7  <... fdatasync resumed>) = 0',
    ]),
  ];
  expect(calls.map(({ name, began, ended }) => [name, began, ended])).toEqual([
    ['write', 2, 2],
    ['fdatasync', 1, 3],
  ]);
});

it('rejects a truncated string', () => {
  expect(() => stringsOf(`write(1, "${a}"..., 9)`)).toThrow('larger -s');
});
