// Runs HAProxy's check of a configuration from a process of less than two megabytes. A fork of the service copies the page
// tables of all its memory, which stops every request: 7 to 20 ms at 150 MB, measured on a virtual machine.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants, getPriority, setPriority } from 'node:os';
import { Mutex } from '../../concurrency/mutex.ts';
import {
  CHECK_TIME_LIMIT_MS,
  type ConfigurationCheck,
  ConfigurationCheckError,
  checkWords,
  isValid,
} from './binary.ts';
import { cannotBeRun, childEnvironment } from './child-environment.ts';

/**
 * Reads a mark, the number of words, and the words, a line each. The output ends with the mark and the exit code. Process
 * lists show the first line.
 */
const SCRIPT = `# proxy-manager: runs HAProxy's check of certificates
while IFS= read -r mark && IFS= read -r count; do
  set --
  while [ "$count" -gt 0 ]; do
    IFS= read -r word || exit
    set -- "$@" "$word"
    count=$((count - 1))
  done
  "$@" </dev/null 2>&1
  printf '\\n%s %s\\n' "$mark" $?
done`;
const MARK_BYTES = 16;
const OUTPUT_LIMIT = 65_536;
/** What a shell reports: the program cannot be run, is missing, or died of the signal that is added to 128. */
const exitCodes = { notExecutable: 126, notFound: 127, signalled: 128 } as const;

export class CheckProcess {
  readonly #mutex = new Mutex();
  #shell: Shell | null = null;

  /**
   * As `checkConfiguration`, one after the other and at a lower priority; for configurations of our own, since output and
   * errors of HAProxy are one here. The process stays for the next check and ends with the service.
   */
  async checkConfiguration(
    bin: string,
    files: readonly string[],
    { timeLimitMs = CHECK_TIME_LIMIT_MS } = {},
  ): Promise<ConfigurationCheck> {
    return await this.#mutex.run(async () => {
      const command = `${bin} -c -f ${files.join(' -f ')}`;
      const words = checkWords(bin, files);
      if (words.some((word) => word.includes('\n')))
        throw new ConfigurationCheckError(`${command} cannot be run: a path has a line break`);
      const { code, output } = await this.#run(words, command, timeLimitMs);
      if (code === exitCodes.notFound || code === exitCodes.notExecutable) throw cannotRun(bin, words[0]!, output);
      if (code > exitCodes.signalled)
        throw new ConfigurationCheckError(`${command} died of the signal ${code - exitCodes.signalled}: ${output}`);
      return { valid: isValid(code, output), output };
    });
  }

  async #run(words: readonly string[], command: string, timeLimitMs: number): Promise<Ran> {
    const kept = this.#shell?.hasEnded === false ? this.#shell : null;
    // It may have been killed since the last check, such as for lack of memory.
    const ran = (await kept?.run(words, command, timeLimitMs)) ?? null;
    if (ran !== null) return ran;
    this.#shell = await Shell.start(command);
    const again = await this.#shell.run(words, command, timeLimitMs);
    if (again === null) throw new ConfigurationCheckError(`${command}: the shell that runs it ended`);
    return again;
  }
}

interface Ran {
  readonly code: number;
  readonly output: string;
}

function cannotRun(bin: string, program: string, output: string): ConfigurationCheckError {
  // A missing library has the same exit code.
  const isMissing = !program.includes('/') || !existsSync(program);
  const why = { message: output, ...(isMissing && { code: 'ENOENT' }) };
  const said = isMissing && output.trim() !== '' ? ` (${output.trim()})` : '';
  return new ConfigurationCheckError(`${cannotBeRun(`${bin} -c`, why)}${said}`);
}

type ShellProcess = ChildProcessByStdio<Socket, Socket, null>;

class Shell {
  readonly #process: ShellProcess;
  #hasEnded = false;
  #onEnd: ((why: string) => void) | null = null;

  private constructor(child: ShellProcess) {
    this.#process = child;
    child.on('exit', () => this.#end('the shell that runs it ended'));
    for (const source of [child, child.stdin, child.stdout])
      source.on('error', (error: Error) => this.#end(`the shell that runs it failed: ${error.message}`));
    child.stdout.setEncoding('utf8');
    lowerPriority(child.pid!);
    this.#keepServiceAlive(false);
  }

  static async start(command: string): Promise<Shell> {
    const child = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'pipe', 'ignore'],
      cwd: '/',
      env: childEnvironment(),
      // A group of its own, to be killed with what it runs.
      detached: true,
    }) as ShellProcess;
    try {
      await once(child, 'spawn');
    } catch (error) {
      const cause = error as Error;
      throw new ConfigurationCheckError(`${command} cannot be run: /bin/sh cannot be started: ${cause.message}`, {
        cause,
      });
    }
    return new Shell(child);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * One at a time. Null: the shell ended before any output. @throws ConfigurationCheckError; the shell has ended then: its
   * output would be taken for the next
   */
  async run(words: readonly string[], command: string, timeLimitMs: number): Promise<Ran | null> {
    const { stdin, stdout } = this.#process;
    const mark = randomBytes(MARK_BYTES).toString('hex');
    const end = new RegExp(`\\n${mark} (\\d+)\\n$`);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#end(`it did not end within ${timeLimitMs / 1_000} s`);
    }, timeLimitMs);
    this.#keepServiceAlive(true);
    try {
      return await new Promise((resolve, reject) => {
        let output = '';
        this.#onEnd = (why) => {
          if (output === '' && !isLate) resolve(null);
          else reject(new ConfigurationCheckError(`${command}: ${why}`));
        };
        stdout.on('data', (text: string) => {
          // The verdict is at its end.
          output = (output + text).slice(-OUTPUT_LIMIT);
          const code = end.exec(output)?.[1];
          if (code !== undefined) resolve({ code: Number(code), output: output.replace(end, '') });
        });
        stdin.write(`${[mark, words.length, ...words].join('\n')}\n`);
      });
    } finally {
      clearTimeout(timer);
      stdout.removeAllListeners('data');
      this.#onEnd = null;
      this.#keepServiceAlive(false);
    }
  }

  #end(why: string): void {
    const { pid } = this.#process;
    if (this.#hasEnded || pid === undefined) return;
    this.#hasEnded = true;
    this.#onEnd?.(`${why}${killGroup(pid)}`);
  }

  /** Only while something runs: it must not keep the service from ending. */
  #keepServiceAlive(holds: boolean): void {
    const { stdin, stdout } = this.#process;
    for (const handle of [this.#process, stdin, stdout]) {
      if (holds) handle.ref();
      else handle.unref();
    }
  }
}

/** Blocks and traffic come first. Without effect where a sandbox forbids it: what the check says is the same. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch (error) {
    const code = (error as { readonly info?: { readonly code?: string } }).info?.code;
    if (code !== 'EPERM' && code !== 'EACCES' && code !== 'ESRCH') throw error;
  }
}

/** Returns why it could not be killed, if so. */
function killGroup(pid: number): string {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // All of the group have ended.
    if (code !== 'ESRCH') return `; it could not be killed: ${message}`;
  }
  return '';
}
