// The machine as `attach` changes it: files of root, and system programs. Replaced in tests.
import { execFile } from 'node:child_process';
import { lstat, mkdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing, writeFileAtomically } from '../files/atomic-file.ts';
import { childEnvironment } from '../haproxy/process/child-environment.ts';

export interface Ran {
  readonly exitCode: number;
  readonly output: string;
  readonly complaints: string;
}

export interface Host {
  /** Null: no such file. */
  readText(path: string): Promise<string | null>;
  /** Durable; creates the folder. */
  writeText(path: string, text: string, mode: number): Promise<void>;
  /** A file or an empty folder; a missing path, or a folder with content, is left unchanged. */
  remove(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** Any exit code resolves. @throws when there is no such program, or it does not end within two minutes */
  run(program: string, ...words: readonly string[]): Promise<Ran>;
  runWith(input: string, program: string, ...words: readonly string[]): Promise<Ran>;
}

const timeoutMs = 120_000;

export const thisHost: Host = {
  async readText(path) {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  async writeText(path, text, mode) {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await writeFileAtomically(path, text, { mode });
  },
  async remove(path) {
    try {
      if ((await lstat(path)).isDirectory()) await rmdir(path);
      else await rm(path);
    } catch (error) {
      if (!isMissing(error) && (error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  },
  async exists(path) {
    try {
      await lstat(path);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  },
  run: (program, ...words) => run('', program, words),
  runWith: (input, program, ...words) => run(input, program, words),
};

function run(input: string, program: string, words: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024, env: childEnvironment(), cwd: '/' };
    const child = execFile(program, words, limits, (error, output, complaints) => {
      if (error === null) return resolve({ exitCode: 0, output, complaints });
      if (typeof error.code === 'number') return resolve({ exitCode: error.code, output, complaints });
      reject(new Error(`${program} ${words.join(' ')}: ${error.message}`, { cause: error }));
    });
    // A program that exits before reading all its input reports that by its exit code.
    child.stdin?.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') reject(error);
    });
    child.stdin?.end(input);
  });
}
