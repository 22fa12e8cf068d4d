// The complete service as a process, with a real HAProxy, in its own prefix folder, on loopback.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Processes, showProcesses } from '../src/haproxy/process/workers.ts';
import { type Command, wireText } from '../src/haproxy/socket/conversation-command.ts';
import { MasterSocket } from '../src/haproxy/socket/master-socket.ts';
import { commandLine, processAlive, processStartTime } from '../src/system/processes.ts';
import { clockFile, timeFile } from './clock.ts';
import { eventually, patienceMs, within } from './conditions.ts';
import { freePort } from './free-port.ts';
import { unmountDisk } from './own-disk.ts';
import { compileCache, program, programVariable } from './program.ts';

export interface ServicePaths {
  readonly prefix: string;
  readonly config: string;
  readonly blockedMap: string;
  readonly trustedMap: string;
  readonly upstreamsMap: string;
  readonly proxyProtocolMap: string;
  readonly masterSocket: string;
  readonly statsSocket: string;
  readonly pidFile: string;
  readonly log: string;
  readonly jsonLog: string;
  readonly database: string;
  readonly stateDir: string;
  readonly backupDir: string;
  readonly proxyOutput: string;
}

export interface ServiceOptions {
  readonly bin: string;
  /** Default true: the service starts HAProxy. */
  readonly supervise?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: a new one. */
  readonly prefix?: string;
  /** Default: a free port. */
  readonly proxyPort?: number;
  /** Changes the words that start the service: another user, another folder. */
  readonly command?: (words: readonly [string, ...string[]]) => readonly [string, ...string[]];
  /** Runs before the service starts, for existing files or a running proxy. The ports of `service` are known. */
  readonly before?: (paths: ServicePaths, service: RealService) => Promise<void>;
  /** Default true. False: only wait for the process. */
  readonly waitUntilReady?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON, checked only by expectations
export type JsonBody = Record<string, any>;

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** An empty object if the body is not JSON. */
  readonly body: T;
}

interface CallOptions {
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: string | Buffer;
  readonly contentType?: string;
  readonly accept?: string;
  /** Null: none. */
  readonly key?: string | null;
}

export interface VisitOptions {
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
  readonly path?: string;
  /** Of a front end other than the service's. */
  readonly port?: number;
}

/** Set by vitest for every HAProxy: testkit/certificates/README.md. */
export const certificates = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['SSL_CERT_DIR', 'LD_PRELOAD'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const key = 'test-key-0123456789abcdef';

export class RealService {
  readonly paths: ServicePaths;
  readonly apiPort: number;
  readonly proxyPort: number;
  readonly socket: MasterSocket;
  /** The key for calls; tests without one in the settings set the service's own. */
  key = key;
  readonly #options: ServiceOptions;
  #child: ChildProcess | null = null;

  private constructor(paths: ServicePaths, apiPort: number, proxyPort: number, options: ServiceOptions) {
    this.paths = paths;
    this.apiPort = apiPort;
    this.proxyPort = proxyPort;
    this.#options = options;
    this.socket = new MasterSocket(paths.masterSocket);
  }

  static async start(options: ServiceOptions): Promise<RealService> {
    if (process.env[programVariable] === undefined) await (await import('./built-program.ts')).installBuiltProgram();
    // Short: HAProxy's `-S` holds 97 bytes.
    const prefix = options.prefix ?? (await mkdtemp(join(tmpdir(), 'pms-')));
    const at = (path: string): string => join(prefix, path);
    const paths: ServicePaths = {
      prefix,
      config: at('etc/proxy/proxy.cfg'),
      blockedMap: at('etc/proxy/blocked_ips.map'),
      trustedMap: at('etc/proxy/trusted_ips.map'),
      upstreamsMap: at('etc/proxy/upstreams.map'),
      proxyProtocolMap: at('etc/proxy/proxy_protocol.map'),
      masterSocket: at('tmp/proxy-cli'),
      statsSocket: at('var/run/proxy.sock'),
      pidFile: at('var/run/proxy.pid'),
      log: at('var/log/proxy-manager.log'),
      jsonLog: at('stdout.log'),
      database: at('var/lib/proxy-manager/proxy-manager.sqlite'),
      stateDir: at('var/lib/proxy-manager'),
      backupDir: at('var/lib/proxy-manager/backups'),
      proxyOutput: at('var/lib/proxy-manager/proxy-output.log'),
    };
    const service = new RealService(paths, await freePort(), options.proxyPort ?? (await freePort()), options);
    try {
      await options.before?.(paths, service);
      await service.launch();
    } catch (error) {
      await service.stop();
      throw error;
    }
    return service;
  }

  get pid(): number {
    return Number(this.#child?.pid);
  }

  /** Starts the service on the same folder. */
  async launch(environment: Readonly<Record<string, string>> = {}, pollAtMostMs?: number): Promise<void> {
    const output = openSync(this.paths.jsonLog, 'a');
    const words = [program(), 'serve'] as const;
    const [first, ...args] = this.#options.command?.([...words]) ?? words;
    const child = spawn(first, args, {
      stdio: ['ignore', output, output],
      env: {
        PATH: `${process.env['PATH']}:/usr/sbin`,
        PROXY_MANAGER_NODE: process.execPath,
        // Stripping types and compiling take half of a start.
        NODE_COMPILE_CACHE: compileCache(),
        ...certificates(),
        PROXY_MANAGER_PREFIX: this.paths.prefix,
        PROXY_MANAGER_LISTEN: `127.0.0.1:${this.apiPort}`,
        PROXY_MANAGER_HTTP_BIND: `127.0.0.1:${this.proxyPort}`,
        // Not into the syslog of the machine.
        PROXY_MANAGER_ACCESS_LOG: 'off',
        PROXY_MANAGER_API_KEY: key,
        PROXY_MANAGER_PROXY_BIN: this.#options.bin,
        PROXY_MANAGER_SUPERVISE: String(this.#options.supervise ?? true),
        ...this.#options.environment,
        ...environment,
      },
    });
    closeSync(output);
    this.#child = child;
    if (this.#options.waitUntilReady === false) return;
    const ask = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return 'ended' as const;
      return (await this.call('GET', '/readyz', { key: null })).status === 200 ? ('ready' as const) : null;
    };
    await eventually('the service is ready', ask, patienceMs, undefined, pollAtMostMs).then(async (state) => {
      if (state === 'ended')
        throw new Error(`the service did not start: ${await readFile(this.paths.jsonLog, 'utf8')}`);
    });
  }

  /** Waits for the end of the process. */
  async ended(limitMs = patienceMs): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const child = this.#child!;
    await eventually('the service ended', () => child.exitCode !== null || child.signalCode !== null, limitMs);
    return { code: child.exitCode, signal: child.signalCode };
  }

  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  call<T = JsonBody>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> {
    const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const headers: Record<string, string> = {};
    const credential = options.key === undefined ? this.key : options.key;
    if (credential !== null) headers['authorization'] = `Bearer ${credential}`;
    if (options.accept !== undefined) headers['accept'] = options.accept;
    if (body !== undefined) headers['content-type'] = options.contentType ?? 'application/json';
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { host: '127.0.0.1', port: this.apiPort, method, path, headers, agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const type = String(response.headers['content-type'] ?? '');
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: (type.includes('json') && text !== '' ? JSON.parse(text) : {}) as T,
            });
          });
        },
      );
      request.once('error', reject);
      request.setTimeout(patienceMs, () => request.destroy(new Error(`${method} ${path}: no answer`)));
      request.end(body);
    });
  }

  block(ip: string, more: Record<string, unknown> = {}): Promise<Answer<JsonBody>> {
    return this.call('POST', '/api/blocked-ips', { body: { ip_address: ip, ...more } });
  }

  unblock(ip: string): Promise<Answer<JsonBody>> {
    return this.call('DELETE', `/api/blocked-ips/${encodeURIComponent(ip)}`);
  }

  /** Retries while the machine is too busy for a worker to answer in time. */
  async check(ip: string): Promise<JsonBody> {
    return await eventually('the workers could be asked', async () => {
      const { body } = await this.call('GET', `/api/check/${encodeURIComponent(ip)}`);
      return body['enforced'] !== null && body;
    });
  }

  /** Status of a request through HAProxy, from any address of 127.0.0.0/8. 0: closed without an answer. */
  visit(from: string, options: VisitOptions = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { ...options.headers, ...(options.host === undefined ? {} : { host: options.host }) };
      const request = httpRequest(
        {
          host: '127.0.0.1',
          port: options.port ?? this.proxyPort,
          localAddress: from,
          path: options.path ?? '/',
          headers,
          agent: options.agent ?? false,
        },
        (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)),
      );
      request.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') resolve(0);
        else reject(error);
      });
      request.end();
    });
  }

  /** Keeps one connection, to whichever worker accepted it. */
  keepAliveClient(from: string, port = this.proxyPort): { visit(): Promise<number>; close(): void } {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return { visit: () => this.visit(from, { agent, port }), close: () => agent.destroy() };
  }

  processes(): Promise<Processes> {
    return eventually('the master answers', () => showProcesses(this.socket, within(1_000)));
  }

  async workerPid(): Promise<number> {
    return await eventually('there is a current worker', async () => (await this.processes()).current[0]?.pid);
  }

  /** Commands on the master socket, outside the service. Throws UnsafeCommandError at once. */
  async raw(...commands: Command[]): Promise<string[]> {
    for (const command of commands) wireText(command);
    return await eventually('the master takes commands', async () => {
      const conversation = await this.socket.converse(within(patienceMs));
      return await conversation.finish(commands);
    });
  }

  /** A worker's blocked map, with duplicates and values. */
  async runningMap(pid?: number): Promise<string[]> {
    const [body = ''] = await this.raw(`@${pid === undefined ? '1' : `!${pid}`} show map ${this.paths.blockedMap}`);
    return body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ').slice(1).join(' '));
  }

  /** As HAProxy would load them. */
  async fileEntries(): Promise<string[]> {
    const text = await readFile(this.paths.blockedMap, 'utf8');
    return text
      .split('\n')
      .filter((line) => !line.startsWith('#') && line.trim() !== '')
      .map((line) => line.trim());
  }

  /** From the database, through the API. */
  async listed(): Promise<string[]> {
    const answer = await this.call('GET', '/api/blocked-ips', { accept: 'text/plain' });
    return answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  async health(): Promise<Answer<JsonBody>> {
    return await this.call('GET', '/health');
  }

  healthy(limitMs = patienceMs): Promise<unknown> {
    // A probe takes 20 ms of processor time: without pauses it would be the load.
    return eventually('health is ok', async () => (await this.health()).body['status'] === 'ok', limitMs, 200, 800);
  }

  async logText(): Promise<string> {
    return await readFile(this.paths.log, 'utf8');
  }

  /** Ends the service and every proxy of this folder, and removes it. */
  async stop(): Promise<void> {
    await this.halt();
    await unmountDisk(this.paths.prefix);
    await rm(this.paths.prefix, { recursive: true, force: true });
    for (const file of [clockFile, timeFile]) await rm(file(this.paths.prefix), { force: true });
  }

  /** Ends the service and every proxy of this folder, which is kept. */
  async halt(): Promise<void> {
    this.socket.close();
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      // A clean shutdown has its own tests.
      child.kill('SIGKILL');
      await this.ended();
    }
    for (const pid of await this.proxyPids()) {
      const startTime = await processStartTime(pid);
      signal(pid, 'SIGCONT');
      signal(pid, 'SIGKILL');
      await eventually('HAProxy is gone', async () => !(await processAlive(pid, startTime)));
    }
  }

  /** Masters and workers of this configuration, including orphans. */
  async proxyPids(): Promise<number[]> {
    const pids: number[] = [];
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const words = await commandLine(Number(name));
      if (words?.includes(this.paths.config) !== true) continue;
      const program = await readlink(`/proc/${name}/exe`).catch(() => '');
      if (program.includes('haproxy')) pids.push(Number(name));
    }
    return pids;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
