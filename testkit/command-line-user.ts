// Runs `bin/proxy-manager` in a pipe, with input, or on a terminal, or its code in this process: a process takes ten
// times the processor time. `npm run test:long` starts a process for each call.
import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../src/cli/run.ts';
import { compileCache, program } from './program.ts';
import { longTests } from './proxies.ts';
import type { RealService } from './real-service.ts';

export interface Ran {
  /** 128 and more: ended by a signal. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly input?: string | Buffer;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with the output so far while it runs. */
  readonly meanwhile?: (running: Running) => void;
}

interface Running {
  readonly out: string;
  readonly err: string;
  write(text: string): void;
  signal(name: NodeJS.Signals): void;
}

export class CommandLineUser {
  readonly #environment: Readonly<Record<string, string>>;

  /** The environment has the service's address and key, but no home folder. */
  constructor(service: RealService) {
    this.#environment = {
      PATH: String(process.env['PATH']),
      HOME: service.paths.prefix,
      TZ: 'UTC',
      PROXY_MANAGER_NODE: process.execPath,
      NODE_COMPILE_CACHE: compileCache(),
      PROXY_MANAGER_URL: `http://127.0.0.1:${service.apiPort}`,
      PROXY_MANAGER_API_KEY: service.key,
    };
  }

  /** For what a process adds: its output, exit code and end. */
  process(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.#spawn(program(), words, options);
  }

  /** For the meaning of a verb. */
  run(words: readonly string[], options: Omit<RunOptions, 'meanwhile'> = {}): Promise<Ran> {
    return longTests ? this.process(words, options) : this.#runHere(words, options);
  }

  async #runHere(words: readonly string[], { input = '', environment: more }: RunOptions): Promise<Ran> {
    const environment = { ...this.#environment, ...more };
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const output = Promise.all([text(stdout), text(stderr)]);
    stdin.end(input);
    const code = await runCommandLine(words, {
      environment,
      homeFolder: environment['HOME'] ?? null,
      stdin,
      stdout,
      stderr,
      now: () => new Date(),
      end: (exitCode) => {
        throw new Error(`${words.join(' ')} ended with ${exitCode}`);
      },
    });
    stdout.end();
    stderr.end();
    const [out, err] = await output;
    return { code, out, err };
  }

  /** A shell line, in which `pm` is the program. */
  shell(line: string, options: RunOptions = {}): Promise<Ran> {
    return this.#spawn('bash', ['-c', `pm() { "$PM" "$@"; }; ${line}`], options);
  }

  /** A shell line on a terminal of 80 columns (`script` of util-linux); both outputs are one. */
  onTerminal(line: string, options: RunOptions = {}): Promise<Ran> {
    const command = `bash -c 'stty cols 80 rows 24; pm() { "$PM" "$@"; }; ${line.replaceAll("'", "'\\''")}'`;
    return this.#spawn('script', ['-qec', command, '/dev/null'], options);
  }

  #spawn(command: string, words: readonly string[], options: RunOptions): Promise<Ran> {
    const { promise, resolve, reject } = Promise.withResolvers<Ran>();
    const child = spawn(command, words, {
      env: { ...this.#environment, PM: program(), ...options.environment },
      // Its own session, apart from the terminal that runs the tests.
      detached: true,
    });
    let out = '';
    let err = '';
    const report = (): void =>
      options.meanwhile?.({
        out,
        err,
        write: (text) => child.stdin.write(text),
        signal: (name) => child.kill(name),
      });
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      report();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
      report();
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? (signal === null ? -1 : 128), out, err }));
    child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    if (options.meanwhile === undefined) child.stdin.end(options.input ?? '');
    else if (options.input !== undefined) child.stdin.write(options.input);
    return promise;
  }
}
