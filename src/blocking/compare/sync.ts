// The sync of rule 13. Never `clear map`: it would unblock everything.

import type { SyncAnswer } from '../../api/blocked-ips-bulk.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import { RuntimeMapRejection } from '../../haproxy/maps/runtime-map.ts';
import type { Processes } from '../../haproxy/process/workers.ts';
import { MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import type { BlockedIpsStore } from '../../store/blocked-ips-store.ts';
import { causeText } from '../../telemetry/log.ts';
import type { MirroredMap } from '../mirrored-map.ts';
import type { MapFileKeeper } from '../write/map-file-keeper.ts';
import type { RuntimeLink } from '../write/runtime-link.ts';
import { reloadPatienceMs, throughReload, triesThroughReloads } from './through-reload.ts';
import type { Remaining, WorkerReconciler, WorkerVerdict } from './worker-reconciler.ts';
import type { WorkerRegistry } from './worker-registry.ts';

const listed = 100;
const shortPatienceMs = 500;
const nothing: Remaining = { missing: [], unexpected: [], wrongValue: [], duplicate: [] };

interface SynchroniserDeps {
  readonly link: RuntimeLink;
  readonly registry: WorkerRegistry;
  readonly workers: WorkerReconciler;
  readonly keeper: MapFileKeeper;
  readonly store: BlockedIpsStore;
  readonly blocked: MirroredMap;
  readonly others: readonly MirroredMap[];
  /** False: no reload of this configuration could enforce anything, so none is scheduled. */
  readonly scheduleReload: (reason: string) => boolean;
  readonly onWorkerStarting: () => void;
  /** A sync during a bulk change would remove entries that are about to be removed, and report repairs. */
  readonly betweenBulkChanges: <T>(work: () => Promise<T>) => Promise<T>;
}

export class Synchroniser {
  readonly #deps: SynchroniserDeps;

  constructor(deps: SynchroniserDeps) {
    this.#deps = deps;
  }

  /** @throws ServiceError when the file cannot be written (503) or belongs to another database (409) */
  async sync(options: { readonly acceptMapFile: boolean }): Promise<SyncAnswer> {
    const began = performance.now();
    return await this.#deps.betweenBulkChanges(() => this.#sync(options, began));
  }

  async #sync(options: { readonly acceptMapFile: boolean }, began: number): Promise<SyncAnswer> {
    await this.#deps.keeper.updateBlockedIpsMap({ acceptForeignFile: options.acceptMapFile });
    crashPoint('sync.file-written');
    const total = await this.#deps.store.count();
    const answer = (
      current: Pick<WorkerVerdict, 'inSync' | 'added' | 'removed' | 'reason'>,
      remaining: Remaining,
      draining: SyncAnswer['draining_workers'],
      needsReload = !current.inSync,
    ): SyncAnswer => {
      const scheduled = needsReload && this.#deps.scheduleReload(`sync: ${current.reason}`);
      return {
        runtime_map_synced: current.inSync,
        total_ips: total,
        added: current.added,
        removed: current.removed,
        missing_ips: remaining.missing,
        unexpected_ips: remaining.unexpected,
        wrong_value_ips: remaining.wrongValue,
        duplicate_ips: remaining.duplicate,
        draining_workers: draining,
        map_file_updated: true,
        reload_scheduled: scheduled,
        duration_ms: Math.round(performance.now() - began),
        ...(current.reason === null ? {} : { reason: current.reason }),
      };
    };
    const unreadable = (reason: string): SyncAnswer =>
      answer({ inSync: false, added: 0, removed: 0, reason }, nothing, []);

    const before = await this.#listed();
    if ('unreadable' in before) return unreadable(before.unreadable);
    const patienceMs = before.starting.length > 0 ? shortPatienceMs : reloadPatienceMs;
    let verdict: WorkerVerdict | null = null;
    let draining: SyncAnswer['draining_workers'] = [];
    let starting = before.starting;
    for (let tries = 1; ; tries += 1) {
      const current = this.#deps.registry.current();
      if (current === null) {
        verdict = null;
        break;
      }
      verdict = await this.#verdictOf(this.#deps.blocked, current.pid);
      for (const map of this.#deps.others) await this.#verdictOf(map, current.pid);
      crashPoint('sync.current-compared');
      draining = await this.#drainingVerdicts();
      // From 3.1 on a worker that takes over closes no connection, so only the list shows it.
      const after = await this.#listed(patienceMs);
      if ('unreadable' in after) {
        if (verdict.inSync) verdict = { ...verdict, inSync: false, reason: after.unreadable };
        break;
      }
      starting = after.starting;
      if (this.#deps.registry.current()?.pid === current.pid) break;
      if (tries < triesThroughReloads) continue;
      verdict = {
        ...verdict,
        inSync: false,
        reason: 'one worker took over after the other, and the last was not compared',
      };
      break;
    }
    const [next] = starting;
    if (next !== undefined && verdict?.inSync !== false) {
      // A reload would not begin before the one under way has ended.
      this.#deps.onWorkerStarting();
      const reason = `worker ${next.pid} is starting, and is compared as soon as it serves`;
      return answer({ added: 0, removed: 0, ...verdict, inSync: false, reason }, nothing, draining, false);
    }
    if (verdict === null) return unreadable('no current worker');
    return answer(verdict, verdict.inSync ? nothing : await this.#remaining(verdict.pid), draining);
  }

  async #drainingVerdicts(): Promise<SyncAnswer['draining_workers']> {
    const verdicts: SyncAnswer['draining_workers'][number][] = [];
    for (const worker of this.#deps.registry.draining()) {
      const own = await this.#verdictOf(this.#deps.blocked, worker.pid);
      if (this.#deps.registry.byPid(worker.pid) === null) continue;
      verdicts.push({ pid: worker.pid, synced: own.inSync, ...(own.reason === null ? {} : { reason: own.reason }) });
    }
    return verdicts;
  }

  async #listed(patienceMs = reloadPatienceMs): Promise<Processes | { readonly unreadable: string }> {
    try {
      const processes = await this.#deps.link.processes(patienceMs);
      this.#deps.registry.observe(processes);
      return processes;
    } catch (error) {
      if (!(error instanceof MasterSocketError)) throw error;
      return { unreadable: causeText(error) };
    }
  }

  async #verdictOf(map: MirroredMap, pid: number): Promise<WorkerVerdict> {
    return await throughReload(this.#deps.link, this.#deps.registry, () => this.#deps.workers.sync(map, pid));
  }

  async #remaining(pid: number): Promise<Remaining> {
    try {
      return await this.#deps.workers.remaining(this.#deps.blocked, pid, listed);
    } catch (error) {
      // The verdict already says why the map cannot be read.
      if (error instanceof MasterSocketError || error instanceof RuntimeMapRejection) return nothing;
      throw error;
    }
  }
}
