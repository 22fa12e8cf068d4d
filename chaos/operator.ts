// The operator of an attached stack: writes the configuration, reloads, and has a unit that restarts HAProxy.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isMissing } from '../src/files/atomic-file.ts';
import { capabilitiesOf, readProxyVersion } from '../src/haproxy/process/proxy-version.ts';
import { configurationReadSince, showProcesses } from '../src/haproxy/process/workers.ts';
import { listensAt } from '../src/supervision/foreign-listeners.ts';
import { childrenOf, processStartTime } from '../src/system/processes.ts';
import { OperatorsProxy } from '../testkit/attached-service.ts';
import { eventually, within } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import type { RealService } from '../testkit/real-service.ts';
import {
  type ConfigurationState,
  filesOf,
  firstState,
  includeFolder,
  nameOfMore,
  type Ports,
} from './operator-configuration.ts';
import { killAndWait, send } from './signals.ts';
import { clock } from './story.ts';
import type { VisitedFrontEnd } from './visited-front-end.ts';

const run = promisify(execFile);

/** Restart=always, RestartSec=100ms. */
const restartPauseMs = 100;
const lookEveryMs = 20;
/** A file's time is that of the kernel's last clock tick. */
const tickMs = 20;
/** A reload that was lost beside another one is repeated. */
const reloadPatienceMs = 5_000;
const stopPatienceMs = 5_000;
/** An old worker still accepts connections for this long after a reload. */
const afterglowMs = 250;
const mostMore = 3;

interface Interval {
  readonly from: number;
  until: number;
}

interface Written {
  readonly text: string;
  readonly identity: string;
}

export class Operator {
  readonly #bin: string;
  readonly #service: RealService;
  readonly #ports: Ports;
  readonly #proxy: OperatorsProxy;
  readonly #signalsHarm: boolean;
  readonly #written = new Map<string, Written>();
  readonly #lacking: (Interval & { readonly name: string })[] = [];
  readonly #noSocket: Interval[] = [];
  #state = firstState;
  #frontEnds: readonly VisitedFrontEnd[];
  #withSocket = true;
  #stopped = false;
  #writtenAt = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #unit: Promise<void> = Promise.resolve();

  private constructor(bin: string, service: RealService, ports: Ports, signalsHarm: boolean) {
    this.#bin = bin;
    this.#service = service;
    this.#ports = ports;
    this.#signalsHarm = signalsHarm;
    this.#proxy = new OperatorsProxy(bin, service.paths, ',mode,600', includeFolder(service.paths));
    this.#frontEnds = [
      { name: 'web', port: ports.web, tcp: false },
      { name: 'api', port: ports.api, tcp: false },
      { name: 'mail', port: ports.mail, tcp: true },
    ];
  }

  /** Starts HAProxy and keeps it running. */
  static async start(bin: string, service: RealService, serverPort: number): Promise<Operator> {
    const ports = { web: service.proxyPort, api: await freePort(), mail: await freePort(), server: serverPort };
    const { workerReadsConfiguration } = capabilitiesOf(await readProxyVersion(bin));
    const operator = new Operator(bin, service, ports, workerReadsConfiguration);
    const { paths } = service;
    for (const file of [paths.config, paths.masterSocket, paths.pidFile, paths.log]) {
      await mkdir(dirname(file), { recursive: true });
    }
    await mkdir(includeFolder(paths), { recursive: true });
    for (const map of [paths.blockedMap, paths.trustedMap]) await writeFile(map, '', { flag: 'a' });
    await operator.#write(firstState);
    await operator.#proxy.launch();
    operator.#unit = operator.#keepRunning();
    return operator;
  }

  get frontEnds(): readonly VisitedFrontEnd[] {
    return this.#frontEnds;
  }

  get configurationPaths(): readonly string[] {
    return [this.#service.paths.config, includeFolder(this.#service.paths)];
  }

  mayLackRule(name: string, from: number, to: number): boolean {
    return this.#lacking.some((one) => one.name === name && one.from <= to && from <= one.until);
  }

  /** All the time between the two moments. */
  hadNoSocket(from: number, to: number): boolean {
    return this.#noSocket.some((one) => one.from <= from && to <= one.until);
  }

  /** Ends the unit, not HAProxy. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#unit;
  }

  /** Sentences about changes of the operator's files by others. */
  async changedByOthers(): Promise<string[]> {
    const changes: string[] = [];
    for (const [path, { text, identity }] of this.#written) {
      if ((await readFile(path, 'utf8')) !== text) changes.push(`${path} is not what the operator wrote`);
      else if ((await identityOf(path)) !== identity) changes.push(`${path} was written by another process`);
    }
    const folder = includeFolder(this.#service.paths);
    const known = [...this.#written.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path));
    const others = (await readdir(folder)).filter((name) => !known.includes(name));
    if (others.length > 0) changes.push(`${folder} holds ${others.join(', ')} of another process`);
    return changes;
  }

  /** A checked harmless edit and a signal; does not wait for the new worker. */
  async edit(kind: 'comment' | 'timeout' | 'front end'): Promise<string> {
    const { comment, clientTimeoutSeconds, more } = this.#state;
    if (kind === 'front end' && more.length < mostMore) {
      const port = await freePort();
      await this.#write({ ...this.#state, more: [...more, port] });
      await this.#signal();
      return `front end ${nameOfMore(port)}`;
    }
    await this.#write({
      ...this.#state,
      comment: comment + 1,
      ...(kind === 'comment' ? {} : { clientTimeoutSeconds: clientTimeoutSeconds + 1 }),
    });
    await this.#signal();
    return kind === 'comment' ? `comment ${comment + 1}` : `timeout client ${clientTimeoutSeconds + 1}s`;
  }

  /** Resolves when a worker serves that loaded the last edit. */
  async loaded(): Promise<void> {
    while (!this.#stopped && !(await this.#hasWorkerSince(this.#writtenAt))) await this.#signal();
    const more = this.#state.more.map((port) => ({ name: nameOfMore(port), port, tcp: false }));
    this.#frontEnds = [...this.#frontEnds.slice(0, 3), ...more];
  }

  /** Resolves when a worker serves that enforces nothing at these front ends. */
  async removeRule(names: readonly string[]): Promise<void> {
    const from = clock();
    for (const name of names) this.#lacking.push({ name, from, until: Number.POSITIVE_INFINITY });
    try {
      await this.#write({ ...this.#state, withoutRule: names });
      await this.#signal();
      await this.loaded();
    } catch (error) {
      await this.putRuleBack();
      throw error;
    }
  }

  async putRuleBack(): Promise<void> {
    await eventually('the rule is written', async () => {
      await this.#write({ ...this.#state, withoutRule: [] });
      return true;
    });
    await this.#signal();
    await this.loaded();
    const until = clock() + afterglowMs;
    for (const one of this.#lacking) one.until = Math.min(one.until, until);
  }

  /** Like `systemctl restart`, with another command line. */
  async restart({ withSocket }: { readonly withSocket: boolean }): Promise<void> {
    await this.#exclusively(async () => {
      for (const one of this.#noSocket) one.until = Math.min(one.until, clock());
      this.#withSocket = withSocket;
      send(this.#proxy.pid, 'SIGTERM');
      await eventually('HAProxy ended', () => this.#proxy.hasEnded, stopPatienceMs).catch(() =>
        send(this.#proxy.pid, 'SIGKILL'),
      );
      await this.#launch();
      if (!withSocket) this.#noSocket.push({ from: clock(), until: Number.POSITIVE_INFINITY });
    });
  }

  async #keepRunning(): Promise<void> {
    while (!this.#stopped) {
      await pause(lookEveryMs);
      await this.#exclusively(async () => {
        if (!this.#proxy.hasEnded || this.#stopped) return;
        await pause(restartPauseMs);
        await this.#launch();
      });
    }
  }

  /** Retries like a unit. */
  async #launch(): Promise<void> {
    await eventually('HAProxy ended', () => this.#proxy.hasEnded);
    while (!this.#stopped) {
      // systemd kills what is left of a unit before it starts it again.
      await killAndWait(await this.#service.proxyPids());
      try {
        return await this.#proxy.launch({ withSocket: this.#withSocket });
      } catch (error) {
        if (!this.#proxy.hasEnded) throw error;
        await pause(restartPauseMs);
      }
    }
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return await turn;
  }

  /** Replaces each file atomically. HAProxy accepts them before this resolves. */
  async #write(state: ConfigurationState): Promise<void> {
    const files = [...filesOf(state, this.#service.paths, this.#ports)];
    const changed = files.filter(([path, text]) => this.#written.get(path)?.text !== text);
    try {
      for (const [path, text] of changed) await writeFile(draftOf(path), text);
    } catch (error) {
      for (const [path] of changed) await rm(draftOf(path), { force: true });
      throw error;
    }
    for (const [path, text] of changed) {
      await rename(draftOf(path), path);
      this.#written.set(path, { text, identity: await identityOf(path) });
    }
    this.#state = state;
    this.#writtenAt = Date.now();
    // HAProxy rejects a torn map file until the service has repaired it.
    const words = this.configurationPaths.flatMap((path) => ['-f', path]);
    await eventually('HAProxy accepts the configuration', () => run(this.#bin, ['-c', ...words]));
    await pause(tickMs);
  }

  /** Like `systemctl reload`. For what harms which version see faults/foreign-reload.ts. */
  async #signal(): Promise<void> {
    if (this.#signalsHarm) await eventually('no worker starts', () => this.#noneStarts());
    send(this.#proxy.pid, 'SIGUSR2');
  }

  /** A missing socket must not delay the signal: only a reload creates it again, and the service leaves that to us. */
  async #noneStarts(): Promise<boolean> {
    if (await isThere(this.#service.paths.masterSocket)) {
      return (await showProcesses(this.#service.socket, within(1_000))).starting.length === 0;
    }
    const workers = await childrenOf(this.#proxy.pid);
    const ages = await Promise.all(workers.map(async (pid) => ({ pid, startTime: await processStartTime(pid) })));
    const [newest, ...older] = ages.toSorted((one, other) => Number(other.startTime) - Number(one.startTime));
    // The newest one has taken the listeners over.
    const web = { host: '127.0.0.1', port: this.#ports.web };
    const olderPids = older.map(({ pid }) => pid);
    return newest === undefined || ((await listensAt(web, [newest.pid])) && !(await listensAt(web, olderPids)));
  }

  async #hasWorkerSince(writtenAt: number): Promise<boolean> {
    return await eventually(
      'a new worker serves',
      async () => {
        const { current } = await showProcesses(this.#service.socket, within(1_000));
        const [worker] = current;
        if (worker === undefined) return false;
        const since = await configurationReadSince(this.#service.socket, worker.pid, within(1_000));
        return since !== null && since > writtenAt;
      },
      reloadPatienceMs,
    ).catch(() => false);
  }
}

/** HAProxy does not read this name. */
const draftOf = (path: string): string => `${path}.draft`;

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function identityOf(path: string): Promise<string> {
  const { ino, mtimeNs, size } = await stat(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}
