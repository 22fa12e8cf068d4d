// The specification's sync: the file is rewritten from the database, the running map is read whole with one
// `show map` and compared; what differs is repaired and read again. Never `clear map`.
import { crashPoint } from '../faults/crash-point.ts';
import { MasterSocketError } from '../haproxy/master-socket.ts';
import { RuntimeMapRejection } from '../haproxy/runtime-map.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import { causeText } from '../telemetry/log.ts';
import type { SyncAnswer } from './answers.ts';
import type { MapFileKeeper } from './map-file-keeper.ts';
import type { MirroredMap } from './mirrored-map.ts';
import type { RuntimeLink } from './runtime-link.ts';
import { reloadPatienceMs, throughReload, triesThroughReloads } from './through-reload.ts';
import type { WorkerBook } from './worker-book.ts';
import type { Remaining, WorkerKeeper, WorkerVerdict } from './worker-keeper.ts';

const listed = 100;
const nothing: Remaining = { missing: [], unexpected: [], wrongValue: [], duplicate: [] };

export class Synchroniser {
  readonly #link: RuntimeLink;
  readonly #book: WorkerBook;
  readonly #workers: WorkerKeeper;
  readonly #keeper: MapFileKeeper;
  readonly #store: BlockedIpsStore;
  readonly #blocked: MirroredMap;
  readonly #trusted: MirroredMap;
  readonly #scheduleReload: (reason: string) => boolean;
  readonly #betweenBigChanges: <T>(work: () => Promise<T>) => Promise<T>;

  constructor(options: {
    readonly link: RuntimeLink;
    readonly book: WorkerBook;
    readonly workers: WorkerKeeper;
    readonly keeper: MapFileKeeper;
    readonly store: BlockedIpsStore;
    readonly blocked: MirroredMap;
    readonly trusted: MirroredMap;
    /** False: no reload of this configuration could enforce anything, so none is scheduled. */
    readonly scheduleReload: (reason: string) => boolean;
    /** A sync beside one would take out what the big change is about to, and call it a repair. */
    readonly betweenBigChanges: <T>(work: () => Promise<T>) => Promise<T>;
  }) {
    this.#link = options.link;
    this.#book = options.book;
    this.#workers = options.workers;
    this.#keeper = options.keeper;
    this.#store = options.store;
    this.#blocked = options.blocked;
    this.#trusted = options.trusted;
    this.#scheduleReload = options.scheduleReload;
    this.#betweenBigChanges = options.betweenBigChanges;
  }

  /** @throws ServiceError when the file cannot be written (503), or belongs to another database (409) */
  async sync(options: { readonly acceptMapFile: boolean }): Promise<SyncAnswer> {
    const began = performance.now();
    return await this.#betweenBigChanges(() => this.#sync(options, began));
  }

  async #sync(options: { readonly acceptMapFile: boolean }, began: number): Promise<SyncAnswer> {
    await this.#keeper.updateBlockedIpsMap({ acceptOtherFile: options.acceptMapFile });
    crashPoint('sync.file-written');
    const total = await this.#store.count();
    const answer = (
      current: Pick<WorkerVerdict, 'whole' | 'added' | 'removed' | 'reason'>,
      remaining: Remaining,
      draining: SyncAnswer['draining_workers'],
    ): SyncAnswer => {
      const scheduled = !current.whole && this.#scheduleReload(`sync: ${current.reason}`);
      return {
        runtime_map_synced: current.whole,
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
      answer({ whole: false, added: 0, removed: 0, reason }, nothing, []);

    try {
      this.#book.observe(await this.#link.processes(reloadPatienceMs));
    } catch (error) {
      if (!(error instanceof MasterSocketError)) throw error;
      return unreadable(causeText(error));
    }
    const verdict = await this.#currentVerdict();
    if (verdict === null) return unreadable('the master has no current worker');
    crashPoint('sync.current-compared');
    const draining: SyncAnswer['draining_workers'][number][] = [];
    for (const worker of this.#book.draining()) {
      const own = await this.#verdictOf(this.#blocked, worker.pid);
      if (this.#book.byPid(worker.pid) === null) continue;
      draining.push({ pid: worker.pid, synced: own.whole, ...(own.reason === null ? {} : { reason: own.reason }) });
    }
    return answer(verdict, verdict.whole ? nothing : await this.#remaining(verdict.pid), draining);
  }

  /** Of the worker that is current when it was judged: a reload that came between has made another one. */
  async #currentVerdict(): Promise<WorkerVerdict | null> {
    let verdict: WorkerVerdict | null = null;
    for (let tries = 0; tries < triesThroughReloads; tries += 1) {
      const current = this.#book.current();
      if (current === null) return null;
      verdict = await this.#verdictOf(this.#blocked, current.pid);
      await this.#verdictOf(this.#trusted, current.pid);
      if (this.#book.current()?.pid === current.pid) break;
    }
    return verdict;
  }

  async #verdictOf(map: MirroredMap, pid: number): Promise<WorkerVerdict> {
    return await throughReload(this.#link, this.#book, () => this.#workers.ensureWhole(map, pid));
  }

  async #remaining(pid: number): Promise<Remaining> {
    try {
      return await this.#workers.remaining(this.#blocked, pid, listed);
    } catch (error) {
      // The verdict says already why the map cannot be read; lists of what is wrong in it cannot be had then.
      if (error instanceof MasterSocketError || error instanceof RuntimeMapRejection) return nothing;
      throw error;
    }
  }
}
