// A reload as this service makes it: not asked for where it could only hurt, with the servers' state kept for the next
// worker, and a start in its place where the proxy is ours to start and is gone.

import type { WorkerBook } from '../../blocking/compare/worker-book.ts';
import type { RuntimeLink } from '../../blocking/write/runtime-link.ts';
import { findMaster } from '../../haproxy/process/master-process.ts';
import { ProxyOutput } from '../../haproxy/process/proxy-output.ts';
import { ProxyReloader, type ReloadOutcome } from '../../haproxy/process/reloader.ts';
import { showProcesses } from '../../haproxy/process/workers.ts';
import { type MasterSocket, MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import type { Settings } from '../../settings.ts';
import { listensAt } from '../../supervision/foreign-listeners.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import { childrenOf } from '../../system/processes.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { bindAddresses, tryBind } from './listeners.ts';
import type { LiveFile } from './live-file.ts';
import { keepServerState } from './server-state.ts';

// `-c` calls a configuration valid whose port somebody else holds. Asked to reload with it, HAProxy takes the old
// worker's listeners away for as long as it tries to bind: 2 s in which every new connection is refused (2.6.12,
// 3.0.11). So it is not asked.

/** The addresses of the configuration that the running proxy does not have yet and cannot get, as they stand in it. */
async function heldByOthers(
  configText: string,
  { pidFile, configFile }: Pick<Settings, 'pidFile' | 'configFile'>,
): Promise<string[]> {
  const master = await findMaster(pidFile, configFile);
  if (master === null) return [];
  const refused = await tryBind(bindAddresses(configText));
  const taken = refused.filter(({ code }) => code === 'EADDRINUSE').map(({ address }) => address);
  const pids = [master.pid, ...(await childrenOf(master.pid))];
  const held: string[] = [];
  // What its workers have is handed on to the next one, whoever else listens there.
  for (const address of taken) if (!(await listensAt(address, pids))) held.push(address.text);
  return held;
}

const reloadPatienceMs = 60_000;

export class ProxyReload {
  readonly #settings: Settings;
  readonly #live: LiveFile;
  readonly #socket: MasterSocket;
  readonly #parts: { readonly book: WorkerBook; readonly link: RuntimeLink };
  readonly #serverStateFile: string;
  readonly #outputFile: string | null;
  readonly #supervisor: () => Supervisor | null;
  readonly #log: Log;
  readonly #reloader: ProxyReloader;

  constructor(options: {
    readonly settings: Settings;
    readonly live: LiveFile;
    readonly socket: MasterSocket;
    readonly parts: { readonly book: WorkerBook; readonly link: RuntimeLink };
    readonly serverStateFile: string;
    /** What the proxy writes; null: somebody else started it. */
    readonly outputFile: string | null;
    readonly supervisor: () => Supervisor | null;
    readonly workerReadsConfiguration: () => boolean;
    readonly log: Log;
  }) {
    this.#settings = options.settings;
    this.#live = options.live;
    this.#socket = options.socket;
    this.#parts = options.parts;
    this.#serverStateFile = options.serverStateFile;
    this.#outputFile = options.outputFile;
    this.#supervisor = options.supervisor;
    this.#log = options.log;
    this.#reloader = new ProxyReloader({
      socket: options.socket,
      pidFile: options.settings.pidFile,
      configFile: options.settings.configFile,
      knownMaster: () => options.parts.book.masterPid,
      workerReadsConfiguration: options.workerReadsConfiguration,
    });
  }

  /** With the live file as it is. Never throws for what the proxy or its socket does. */
  async reload(): Promise<ReloadOutcome> {
    const held = await heldByOthers((await this.#live.read()) ?? '', this.#settings);
    if (held.length > 0) return this.#notAsked(`${held.join(', ')} is held by another process`);
    await this.#keepServers();
    const deadline = performance.now() + reloadPatienceMs;
    const outcome = await this.#explained(() => this.#reloader.reload(deadline));
    const supervisor = this.#supervisor();
    if (outcome.confirmed || outcome.reason !== 'not-running' || supervisor === null) return this.#noted(outcome);
    try {
      const { master, fresh } = await supervisor.ensureStarted();
      // One that was on its way already, or runs after all, may have read the configuration before.
      return this.#noted(fresh ? await this.#started(master.pid) : await this.#reloader.reload(deadline));
    } catch (error) {
      return { ...outcome, detail: `${outcome.detail}; and it could not be started: ${causeText(error)}` };
    }
  }

  /** A reload that failed, with the proxy's own words: up to 2.6 its socket has none. */
  async #explained(reload: () => Promise<ReloadOutcome>): Promise<ReloadOutcome> {
    const output = this.#outputFile === null ? null : await ProxyOutput.now(this.#outputFile);
    const outcome = await reload();
    if (outcome.confirmed || outcome.reason !== 'refused' || outcome.output.trim() !== '') return outcome;
    if (output !== null) return { ...outcome, output: await output.complaints() };
    return { ...outcome, detail: `${outcome.detail}; HAProxy's own log says why (systemd: journalctl -u haproxy)` };
  }

  async #started(master: number): Promise<ReloadOutcome> {
    const processes = await showProcesses(this.#socket, performance.now() + 5_000);
    const workerAfter = processes.current[0]?.pid;
    if (workerAfter === undefined) throw new Error(`the master ${master} has no current worker`);
    this.#log.info('Proxy was started instead of reloaded', { master });
    return { confirmed: true, workerBefore: null, workerAfter, by: 'socket', output: '', processes };
  }

  #notAsked(why: string): ReloadOutcome {
    const worker = this.#parts.book.current()?.pid ?? null;
    const detail = `${why}, so the proxy was not asked to reload`;
    return { confirmed: false, reason: 'unconfirmed', detail, workerBefore: worker, workerAfter: worker, output: '' };
  }

  #noted(outcome: ReloadOutcome): ReloadOutcome {
    if (outcome.confirmed && outcome.processes !== null) {
      this.#parts.book.observe(outcome.processes);
      this.#parts.link.markUp(outcome.processes);
    }
    return outcome;
  }

  async #keepServers(): Promise<void> {
    try {
      const answer = await this.#socket.ask('@1 show servers state', performance.now() + 2_000);
      await keepServerState(this.#serverStateFile, answer);
    } catch (error) {
      // Without it a server found by name answers a moment later after the reload; no reason not to reload, and a disk
      // that is full is none either.
      if (error instanceof MasterSocketError) return;
      this.#log.warn('The state of the servers could not be kept for the next worker', { cause: causeText(error) });
    }
  }
}
