// Reloads HAProxy with `ProxyReloader`: not if another process listens on one of its addresses; saves the state of the
// servers for the next worker; starts HAProxy instead if this service supervises it and it does not run.

import type { WorkerRegistry } from '../../blocking/compare/worker-registry.ts';
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

/**
 * The addresses that another process listens on. `-c` accepts them, but at a reload HAProxy stops the listeners of the
 * current worker while it tries to bind: all new connections are refused for 2 s (2.6.12, 3.0.11).
 */
async function addressesInUse(
  configText: string,
  { pidFile, configFile }: Pick<Settings, 'pidFile' | 'configFile'>,
): Promise<string[]> {
  const master = await findMaster(pidFile, configFile);
  if (master === null) return [];
  const refused = await tryBind(bindAddresses(configText));
  const taken = refused.filter(({ code }) => code === 'EADDRINUSE').map(({ address }) => address);
  const pids = [master.pid, ...(await childrenOf(master.pid))];
  const held: string[] = [];
  // The workers hand their own listeners on to the next one, even if another process shares the address.
  for (const address of taken) if (!(await listensAt(address, pids))) held.push(address.text);
  return held;
}

const reloadTimeoutMs = 60_000;

interface ReloadOrStartDeps {
  readonly settings: Settings;
  readonly live: LiveFile;
  readonly socket: MasterSocket;
  readonly parts: { readonly registry: WorkerRegistry; readonly link: RuntimeLink };
  readonly serverStateFile: string;
  /** Null: another program starts HAProxy. */
  readonly outputFile: string | null;
  readonly supervisor: () => Supervisor | null;
  readonly workerReadsConfiguration: () => boolean;
  readonly log: Log;
}

export class ReloadOrStart {
  readonly #deps: ReloadOrStartDeps;
  readonly #reloader: ProxyReloader;

  constructor(deps: ReloadOrStartDeps) {
    this.#deps = deps;
    const { socket, settings, parts, workerReadsConfiguration } = deps;
    const { pidFile, configFile } = settings;
    const knownMaster = () => parts.registry.masterPid;
    this.#reloader = new ProxyReloader({ socket, pidFile, configFile, knownMaster, workerReadsConfiguration });
  }

  /** Loads the live file. Never throws for a failure of HAProxy or its socket. */
  async run(): Promise<ReloadOutcome> {
    const held = await addressesInUse((await this.#deps.live.read()) ?? '', this.#deps.settings);
    if (held.length > 0) return this.#skipped(`${held.join(', ')} is held by another process`);
    await this.#saveServerState();
    const deadline = performance.now() + reloadTimeoutMs;
    const outcome = await this.#withOutput(() => this.#reloader.reload(deadline));
    const supervisor = this.#deps.supervisor();
    if (outcome.confirmed || outcome.reason !== 'not-running' || supervisor === null) return this.#observed(outcome);
    try {
      const { master, fresh } = await supervisor.ensureStarted();
      // A start already in progress may have read the previous configuration.
      return this.#observed(fresh ? await this.#started(master.pid) : await this.#reloader.reload(deadline));
    } catch (error) {
      return { ...outcome, detail: `${outcome.detail}; and the start failed: ${causeText(error)}` };
    }
  }

  /**
   * Adds HAProxy's own messages to a failed reload, which the socket does not report up to 2.6, nor up to 3.0 when the
   * new worker exits and the master with it.
   */
  async #withOutput(reload: () => Promise<ReloadOutcome>): Promise<ReloadOutcome> {
    const output = this.#deps.outputFile === null ? null : await ProxyOutput.now(this.#deps.outputFile);
    const outcome = await reload();
    if (outcome.confirmed || outcome.reason === 'not-running' || outcome.output.includes('[ALERT]')) return outcome;
    if (output !== null) {
      const messages = [outcome.output.trim(), await output.complaints()];
      return { ...outcome, output: messages.filter((text) => text !== '').join('\n') };
    }
    if (outcome.output.trim() !== '') return outcome;
    return { ...outcome, detail: `${outcome.detail}; see HAProxy's own log (systemd: journalctl -u haproxy)` };
  }

  async #started(master: number): Promise<ReloadOutcome> {
    const processes = await showProcesses(this.#deps.socket, performance.now() + 5_000);
    const workerAfter = processes.current[0]?.pid;
    if (workerAfter === undefined) throw new Error(`the master ${master} has no current worker`);
    this.#deps.log.info('HAProxy was started instead of reloaded', { master });
    return { confirmed: true, workerBefore: null, workerAfter, by: 'socket', output: '', processes };
  }

  #skipped(why: string): ReloadOutcome {
    const worker = this.#deps.parts.registry.current()?.pid ?? null;
    const detail = `${why}, so HAProxy was not reloaded`;
    return { confirmed: false, reason: 'unconfirmed', detail, workerBefore: worker, workerAfter: worker, output: '' };
  }

  #observed(outcome: ReloadOutcome): ReloadOutcome {
    if (outcome.confirmed && outcome.processes !== null) {
      this.#deps.parts.registry.observe(outcome.processes);
      this.#deps.parts.link.markUp(outcome.processes);
    }
    return outcome;
  }

  async #saveServerState(): Promise<void> {
    try {
      const answer = await this.#deps.socket.ask('@1 show servers state', performance.now() + 2_000);
      await keepServerState(this.#deps.serverStateFile, answer);
    } catch (error) {
      // Reload anyway: without the saved state, servers found by DNS are only available a moment later.
      if (error instanceof MasterSocketError) return;
      this.#deps.log.warn('The state of the servers could not be saved for the next worker', {
        cause: causeText(error),
      });
    }
  }
}
