// A real HAProxy in master-worker mode, in a temporary folder, on loopback.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { requestReload } from '../src/haproxy/process/reload-triggers.ts';
import { type Processes, showProcesses } from '../src/haproxy/process/workers.ts';
import { MasterSocket } from '../src/haproxy/socket/master-socket.ts';
import type { ReloadReply } from '../src/haproxy/socket/replies.ts';
import { childrenOf, commandLine, processAlive, processStartTime } from '../src/system/processes.ts';
import { eventually, patienceMs, within } from './conditions.ts';
import { freePort } from './free-port.ts';

export interface ProxyPaths {
  readonly folder: string;
  readonly config: string;
  readonly blockedMap: string;
  readonly masterSocket: string;
  readonly statsSocket: string;
  readonly pidFile: string;
  readonly log: string;
  readonly port: number;
}

interface RealProxyOptions {
  readonly config?: (paths: ProxyPaths) => string;
  readonly blocked?: readonly string[];
}

export interface RequestOptions {
  /** Any address of 127.0.0.0/8. */
  readonly from?: string;
  readonly path?: string;
  readonly host?: string;
  readonly agent?: Agent;
}

/** Denies blocked addresses with 403, answers 200 to others. */
export function defaultConfig(paths: ProxyPaths): string {
  return `global
  stats socket ${paths.statsSocket} mode 600 level admin
  hard-stop-after 60s
defaults
  mode http
  option idle-close-on-response
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout http-keep-alive 60s
frontend test
  bind 127.0.0.1:${paths.port}
  http-request deny deny_status 403 if { src,map_ip(${paths.blockedMap},0) -m int gt 0 }
  http-request return status 200 content-type text/plain string ok
`;
}

export class RealProxy {
  readonly paths: ProxyPaths;
  readonly socket: MasterSocket;
  readonly #bin: string;
  #child: ChildProcess | null = null;

  private constructor(bin: string, paths: ProxyPaths) {
    this.#bin = bin;
    this.paths = paths;
    this.socket = new MasterSocket(paths.masterSocket);
  }

  static async start(bin: string, options: RealProxyOptions = {}): Promise<RealProxy> {
    // Short: a socket's path holds about a hundred bytes.
    const folder = await mkdtemp(join(tmpdir(), 'pm-'));
    const at = (name: string): string => join(folder, name);
    const paths: ProxyPaths = {
      folder,
      config: at('proxy.cfg'),
      blockedMap: at('blocked_ips.map'),
      masterSocket: at('m.sock'),
      statsSocket: at('s.sock'),
      pidFile: at('proxy.pid'),
      log: at('proxy.log'),
      port: await freePort(),
    };
    await writeFile(paths.blockedMap, (options.blocked ?? []).map((line) => `${line}\n`).join(''));
    await writeFile(paths.config, (options.config ?? defaultConfig)(paths));
    const proxy = new RealProxy(bin, paths);
    try {
      await proxy.launch();
    } catch (error) {
      await proxy.stop();
      throw error;
    }
    return proxy;
  }

  /** Starts the master, and waits until a worker serves. */
  async launch(pollAtMostMs?: number): Promise<void> {
    const { config, masterSocket, pidFile, log } = this.paths;
    // A file: a full pipe hangs HAProxy's reload for ever.
    const output = await open(log, 'a');
    const args = ['-W', '-S', `${masterSocket},mode,600`, '-f', config, '-p', pidFile];
    const child = spawn(this.#bin, args, { stdio: ['ignore', output.fd, output.fd] });
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    this.#child = child;
    await output.close();
    const ask = async () => {
      if (child.exitCode !== null) return 'exited' as const;
      const { current } = await showProcesses(this.socket, within(1000));
      return current.length > 0 && (await accepts(this.paths.port)) ? ('serves' as const) : null;
    };
    const ready = eventually('HAProxy serves', ask, patienceMs, undefined, pollAtMostMs);
    if ((await Promise.race([ready, failed])) === 'exited') {
      throw new Error(`HAProxy did not start: ${readFileSync(log, 'utf8')}`);
    }
  }

  get masterPid(): number {
    return Number(this.#child?.pid);
  }

  async processes(): Promise<Processes> {
    return eventually('the master answers', () => showProcesses(this.socket, within(1000)));
  }

  async workerPid(): Promise<number> {
    return eventually('there is a current worker', async () => (await this.processes()).current[0]?.pid);
  }

  /** The status; 0: closed without an answer. */
  request(options: RequestOptions = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      const { from = '127.0.0.1', path = '/', host, agent } = options;
      const headers = host === undefined ? {} : { host };
      const common = { host: '127.0.0.1', port: this.paths.port, localAddress: from, path, headers };
      const request = httpRequest({ ...common, agent: agent ?? false }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') resolve(0);
        else reject(error);
      });
      request.end();
    });
  }

  /** Keeps one connection, to whichever worker accepted it. */
  keepAliveClient(from = '127.0.0.1'): { request(): Promise<number>; close(): void } {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return { request: () => this.request({ from, agent }), close: () => agent.destroy() };
  }

  /** The master's own `reload`; waits for the new worker. */
  async reload(): Promise<{ reply: ReloadReply; before: number; after: number }> {
    const before = await this.workerPid();
    const reply = await requestReload(this.socket, within(patienceMs));
    const after = await eventually('a new worker serves', async () => {
      const pid = (await showProcesses(this.socket, within(1000))).current[0]?.pid;
      return pid === before ? null : pid;
    });
    return { reply, before, after };
  }

  async logText(): Promise<string> {
    return readFile(this.paths.log, 'utf8');
  }

  /** Ends every process of this configuration, and removes the folder. */
  async stop(): Promise<void> {
    this.socket.close();
    const child = this.#child;
    if (child !== null) {
      const family = [this.masterPid, ...(await childrenOf(this.masterPid)), ...(await this.#orphans())];
      const started = await Promise.all(family.map(async (pid) => ({ pid, startTime: await processStartTime(pid) })));
      const living = async (): Promise<typeof started> => {
        const alive = await Promise.all(started.map((one) => processAlive(one.pid, one.startTime)));
        return started.filter((_, index) => alive[index] === true);
      };
      for (const { pid } of await living()) signal(pid, 'SIGCONT');
      for (const { pid } of await living()) signal(pid, 'SIGTERM');
      const gone = await eventually('it ends by itself', async () => (await living()).length === 0, 3000).catch(
        () => false,
      );
      if (gone === false) for (const { pid } of await living()) signal(pid, 'SIGKILL');
      await eventually('all its processes are gone', async () => (await living()).length === 0);
    }
    await rm(this.paths.folder, { recursive: true, force: true });
  }

  /** Workers that outlived their master, found by the configuration file in their command line. */
  async #orphans(): Promise<number[]> {
    const orphans: number[] = [];
    for (const pid of await childrenOf(1)) {
      if ((await commandLine(pid))?.includes(this.paths.config) === true) orphans.push(pid);
    }
    return orphans;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const answer = (yes: boolean) => (): void => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', answer(true));
    socket.once('error', answer(false));
  });
}
