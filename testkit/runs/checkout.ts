// Git queries and docs/reliability.md, for the programs that record test runs.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
const page = 'docs/reliability.md';
/** Of the long tests, one line per piece: committed, so that they add up across machines. */
export const longResults = 'docs/long-tests.jsonl';
/** Written by the programs themselves, so changes in them do not count. */
const written = [page, longResults].map((file) => `:(exclude)${file}`);

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd();
}

export function headCommit(): string {
  return git('rev-parse', '--short', 'HEAD');
}

/** Recorded runs of changed files would belong to no commit. */
export function uncommitted(): string[] {
  return git('status', '--porcelain', '--', '.', ...written)
    .split('\n')
    .filter((line) => line !== '');
}

/** Whether a commit has the same files as HEAD, except documentation and results. */
export function sameCode(commit: string): boolean {
  const args = ['diff', '--quiet', commit, 'HEAD', '--', '.', ':(exclude)*.md', ...written];
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
