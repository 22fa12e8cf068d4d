import { spawn } from 'node:child_process';
import { resolve as resolvePath } from 'node:path';
import { cannotBeRun, childEnvironment, programPath } from './child-environment.ts';

export interface ConfigurationCheck {
  readonly valid: boolean;
  /** Warnings included; up to `outputLimit`. */
  readonly output: string;
}

interface CheckOptions {
  readonly timeLimitMs?: number;
  readonly folder?: string;
  /** In characters: what is kept of the output. Default 64 Ki. */
  readonly outputLimit?: number;
}

/** The check could not run or did not end; says nothing about the configuration. */
export class ConfigurationCheckError extends Error {
  override readonly name = 'ConfigurationCheckError';
}

const MAX_OUTPUT = 64 * 1024;
export const CHECK_TIME_LIMIT_MS = 60_000;
/** 3.0 prints this only with `-V`; an exit code alone proves nothing (promise 2). */
const VALID = /^Configuration file is valid$/m;

/**
 * Runs `<bin> -V -c -f <file>`. Valid means exit code 0 and HAProxy's own message; 2 is "no error but will not
 * start". Rejects with ConfigurationCheckError when HAProxy cannot be run, dies, or takes longer than `timeLimitMs`.
 */
export function checkConfiguration(
  bin: string,
  file: string | readonly string[],
  { timeLimitMs = CHECK_TIME_LIMIT_MS, folder = '/', outputLimit = MAX_OUTPUT }: CheckOptions = {},
): Promise<ConfigurationCheck> {
  const files = typeof file === 'string' ? [file] : file;
  const command = `${bin} -c -f ${files.join(' -f ')}`;
  const [program, ...words] = checkWords(bin, files, folder);
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: childEnvironment(), cwd: '/' });
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
      else resolve({ valid: isValid(code, verdict), output });
    });
  });
}

/** The program and its words. */
export function checkWords(bin: string, files: readonly string[], folder = '/'): [string, ...string[]] {
  const named = files.flatMap((one) => ['-f', resolvePath(one)]);
  return [programPath(bin), '-V', '-c', ...(folder === '/' ? [] : ['-C', folder]), ...named];
}

export function isValid(code: number | null, output: string): boolean {
  return code === 0 && VALID.test(output);
}
