import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { showProcesses } from '../src/haproxy/process/workers.ts';
import { eventually, within } from './conditions.ts';
import { RealService, type ServiceOptions, type ServicePaths } from './real-service.ts';

const tickMs = 20;

interface AttachedOptions extends Pick<ServiceOptions, 'bin' | 'environment' | 'command'> {
  /** Default: one front end with the rule. */
  readonly config?: (paths: ServicePaths, port: number) => string;
  readonly before?: (paths: ServicePaths) => Promise<void>;
  /** Appended to the path of `-S`; default `,mode,600`. */
  readonly socketOptions?: string;
}

/** The two lines for a front end. */
export function rule({ blockedMap, trustedMap }: Pick<ServicePaths, 'blockedMap' | 'trustedMap'>): string {
  return [
    `  acl pm_blocked src,map_ip(${blockedMap},0) -m int gt 0`,
    `  http-request deny deny_status 403 if pm_blocked !{ src,map_ip(${trustedMap},0) -m int gt 0 }`,
  ].join('\n');
}

export const head = `global
  maxconn 200
  hard-stop-after 60s
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
`;

export function frontEnd(name: string, port: number, ...lines: string[]): string {
  return `frontend ${name}\n  bind 127.0.0.1:${port}\n${lines.join('\n')}\n  http-request return status 200 content-type text/plain string ok\n`;
}

/** Started as its unit starts it. */
export class OperatorsProxy {
  readonly #bin: string;
  readonly #paths: ServicePaths;
  readonly #socketOptions: string;
  readonly #include: string | null;
  #child: ChildProcess | null = null;

  /** @param include a folder of more configuration files, for a second `-f` */
  constructor(bin: string, paths: ServicePaths, socketOptions: string, include: string | null = null) {
    this.#bin = bin;
    this.#paths = paths;
    this.#socketOptions = socketOptions;
    this.#include = include;
  }

  get pid(): number {
    return Number(this.#child?.pid);
  }

  async launch({ withSocket = true } = {}): Promise<void> {
    const { config, masterSocket, pidFile, prefix } = this.#paths;
    await this.#configurationIsOlderThanATick();
    const output = await open(`${prefix}/haproxy.log`, 'a');
    const socket = withSocket ? ['-S', `${masterSocket}${this.#socketOptions}`] : [];
    const include = this.#include === null ? [] : ['-f', this.#include];
    const child = spawn(this.#bin, ['-W', ...socket, '-f', config, ...include, '-p', pidFile], {
      stdio: ['ignore', output.fd, output.fd],
    });
    this.#child = child;
    await output.close();
    const state = await eventually('HAProxy wrote its pid file', async () => {
      if (this.hasEnded) return 'ended' as const;
      return (await readFile(pidFile, 'utf8')).trim() === String(child.pid) ? ('started' as const) : null;
    });
    if (state === 'ended') throw new Error(await readFile(`${prefix}/haproxy.log`, 'utf8'));
  }

  get hasEnded(): boolean {
    return this.#child !== null && (this.#child.exitCode !== null || this.#child.signalCode !== null);
  }

  /** Like `systemctl reload haproxy`; resolves when another worker serves. */
  async reload(service: RealService): Promise<void> {
    await this.#configurationIsOlderThanATick();
    const before = (await service.processes()).current[0]?.pid;
    process.kill(this.pid, 'SIGUSR2');
    await eventually('HAProxy has reloaded', async () => {
      const { current } = await showProcesses(service.socket, within(1_000));
      return current[0] !== undefined && current[0].pid !== before;
    });
  }

  /** The kernel's clock ticks each 1 to 10 ms; a file written in the tick of the reload counts as not loaded. */
  async #configurationIsOlderThanATick(): Promise<void> {
    const { ctimeMs } = await stat(this.#paths.config);
    await eventually('the configuration is older than the reload', () => Date.now() - ctimeMs > tickMs);
  }

  async stop(): Promise<void> {
    process.kill(this.pid, 'SIGTERM');
    await eventually('HAProxy ended', () => this.hasEnded);
  }
}

export interface AttachedService {
  readonly service: RealService;
  readonly proxy: OperatorsProxy;
}

export async function startAttached(options: AttachedOptions): Promise<AttachedService> {
  let proxy: OperatorsProxy | null = null;
  const service = await RealService.start({
    bin: options.bin,
    supervise: false,
    ...(options.command === undefined ? {} : { command: options.command }),
    environment: {
      PROXY_MANAGER_HTTP_BIND: '',
      PROXY_MANAGER_ACCESS_LOG: '',
      PROXY_MANAGER_ATTACHED: 'true',
      ...options.environment,
    },
    before: async (paths, { proxyPort }) => {
      for (const file of [paths.config, paths.masterSocket, paths.pidFile, paths.log]) {
        await mkdir(dirname(file), { recursive: true });
      }
      const config = options.config ?? ((at, port) => `${head}${frontEnd('web', port, rule(at))}`);
      await writeFile(paths.config, config(paths, proxyPort));
      for (const map of [paths.blockedMap, paths.trustedMap]) await writeFile(map, '', { flag: 'a' });
      await options.before?.(paths);
      proxy = new OperatorsProxy(options.bin, paths, options.socketOptions ?? ',mode,600');
      await proxy.launch();
    },
  });
  return { service, proxy: proxy! };
}
