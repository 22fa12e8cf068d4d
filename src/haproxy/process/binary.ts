import { spawn } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { cannotBeRun, childEnvironment, programPath } from './child-environment.ts';

interface ConfigurationCheck {
  readonly valid: boolean;
  /** Warnings included; up to `outputLimit`. */
  readonly output: string;
}

interface CheckOptions {
  readonly timeLimitMs?: number;
  readonly folder?: string;
  /** In characters: what is kept of the output. Default 64 Ki. */
  readonly outputLimit?: number;
  /** At a lower priority: blocks and traffic come first. Default false. */
  readonly yields?: boolean;
}

/** The check could not run or did not end; says nothing about the configuration. */
export class ConfigurationCheckError extends Error {
  override readonly name = 'ConfigurationCheckError';
}

const MAX_OUTPUT = 64 * 1024;
const TIME_LIMIT_MS = 60_000;
/** 3.0 prints this only with `-V`; an exit code alone proves nothing (promise 2). */
const VALID = /^Configuration file is valid$/m;

/**
 * Runs `<bin> -V -c -f <file>`. Valid means exit code 0 and HAProxy's own message; 2 is "no error but will not
 * start". Rejects with ConfigurationCheckError when HAProxy cannot be run, dies, or takes longer than `timeLimitMs`.
 */
export function checkConfiguration(
  bin: string,
  file: string | readonly string[],
  { timeLimitMs = TIME_LIMIT_MS, folder = '/', outputLimit = MAX_OUTPUT, yields = false }: CheckOptions = {},
): Promise<ConfigurationCheck> {
  const files = typeof file === 'string' ? [file] : file;
  const command = `${bin} -c -f ${files.join(' -f ')}`;
  return new Promise((resolve, reject) => {
    const child = spawn(
      programPath(bin),
      ['-V', '-c', ...(folder === '/' ? [] : ['-C', folder]), ...files.flatMap((one) => ['-f', resolvePath(one)])],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: childEnvironment(),
        cwd: '/',
      },
    );
    let output = '';
    let verdict = '';
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
      // A grandchild may keep the pipes open and delay the child's end.
      child.stdout.destroy();
      child.stderr.destroy();
    }, timeLimitMs);
    // Attached first: an `error` event without a listener ends the service.
    child.on('error', (cause) => {
      clearTimeout(timer);
      reject(new ConfigurationCheckError(cannotBeRun(`${bin} -c`, cause), { cause }));
    });
    // It has not been waited for yet, so its pid is its own.
    if (yields && child.pid !== undefined) lowerPriority(child.pid);
    // Without a free file descriptor there are no pipes, whatever the types say; the error follows.
    if ((child.stdout as typeof child.stdout | undefined) === undefined) return;
    const collect = (text: string): void => {
      // Reads past the limit too: a full pipe would block HAProxy.
      if (output.length < outputLimit) output = (output + text).slice(0, outputLimit);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      verdict = (verdict + text).slice(-MAX_OUTPUT);
      collect(text);
    });
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (late) reject(new ConfigurationCheckError(`${command} did not end within ${timeLimitMs / 1000} s`));
      else if (signal !== null) reject(new ConfigurationCheckError(`${command} died of ${signal}: ${output}`));
      else resolve({ valid: code === 0 && VALID.test(verdict), output });
    });
  });
}

/** Without effect where a sandbox forbids it: what the check says is the same. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch (error) {
    const code = (error as { readonly info?: { readonly code?: string } }).info?.code;
    if (code !== 'EPERM' && code !== 'EACCES') throw error;
  }
}
