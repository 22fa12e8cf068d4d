// What the programs that record test runs ask git, and how they write docs/reliability.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
/** The programs write to it themselves, so changes in it do not count. */
const page = 'docs/reliability.md';

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd();
}

export function headCommit(): string {
  return git('rev-parse', '--short', 'HEAD');
}

/** Files that differ from the commit: recorded runs would belong to no commit. */
export function uncommitted(): string[] {
  return git('status', '--porcelain', '--', '.', `:(exclude)${page}`)
    .split('\n')
    .filter((line) => line !== '');
}

/** Whether a commit has the same files as HEAD, pages of documentation aside. */
export function sameCode(commit: string): boolean {
  const args = ['diff', '--quiet', commit, 'HEAD', '--', '.', ':(exclude)*.md'];
  return spawnSync('git', args, { cwd: root, stdio: 'ignore' }).status === 0;
}

export function readPage(): string {
  return readFileSync(join(root, page), 'utf8');
}

export function writePage(text: string): void {
  const path = join(root, page);
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
