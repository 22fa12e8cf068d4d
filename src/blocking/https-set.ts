// What redirect and HSTS each name has: the database, the map file, and the map of every worker.
import type { Caller } from '../api/caller.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import { plainHttp, type SiteTls } from '../domain/site-tls.ts';
import { smallMapText } from '../haproxy/map-file/small-map-text.ts';
import { RuntimeMap } from '../haproxy/maps/runtime-map.ts';
import type { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { isUnknownMap } from '../haproxy/socket/replies.ts';
import { auditedChange } from '../store/audit-rows.ts';
import type { NamedSite, SiteTlsStore } from '../store/site-tls-store.ts';
import { nothingChanged } from './answers.ts';
import type { WorkerRegistry } from './compare/worker-registry.ts';
import { differences, SmallMap } from './small-map.ts';
import { type Made, type SmallMapFailure, type SmallSetResult, SmallSetWriter } from './small-set-writer.ts';
import type { ChangeWindows } from './write/change-windows.ts';
import type { RuntimeChanger } from './write/runtime-changer.ts';

/** How the live configuration uses the map. */
export interface HttpsInConfiguration {
  /** Whether it names the map, so that workers load it; null: unknown. */
  readonly mapLoaded: boolean | null;
}

export const unknownHttps: HttpsInConfiguration = { mapLoaded: null };

export interface HttpsUsage {
  /** As of the last check. */
  readonly last: HttpsInConfiguration;
  check(): Promise<HttpsInConfiguration>;
}

const inUse: HttpsInConfiguration = { mapLoaded: true };
const usedWholly: HttpsUsage = { last: inUse, check: async () => inUse };

export const unusedHttpsMap =
  'the live configuration has no rules for redirects and HSTS: reload, or add them to your template';

interface HttpsSetDeps {
  readonly store: SiteTlsStore;
  readonly socket: MasterSocket;
  readonly path: string;
  readonly registry: Pick<WorkerRegistry, 'all' | 'byPid' | 'stateOf'>;
  readonly turns: TurnQueue;
  readonly changer: RuntimeChanger;
  readonly windows: ChangeWindows;
  /** False: no reload of this configuration could enforce anything, so none is scheduled. */
  readonly scheduleReload: (reason: string) => boolean;
  /** Checks the workers soon: some were marked as suspect for a map that they need not have. */
  readonly recheck: () => void;
  readonly now: () => Date;
  /** Absent: the live configuration uses the map. */
  readonly usage?: HttpsUsage | undefined;
}

/** Sites with what they want, and entries as they are. */
export interface HttpsState {
  readonly sites: readonly NamedSite[];
  readonly entries: ReadonlyMap<string, string>;
}

/** What one change did. */
export interface HttpsReport {
  /** Whether every worker was read back to hold it. */
  readonly runtimeUpdated: boolean;
  readonly reloadScheduled: boolean;
  /** What could not be verified; null: nothing. */
  readonly reason: string | null;
}

interface HttpsChange {
  /** For the reason of a reload. */
  readonly what: string;
  /** Null: the service itself. */
  readonly caller: Caller | null;
  /** What one site is to want, from what it wants; null: all keep what they want. */
  readonly site: { readonly domain: string; readonly tls: (before: SiteTls) => SiteTls } | null;
  /** All entries that there are to be; called in the turn, with the wish of `site` included. */
  readonly wanted: (state: HttpsState) => Promise<ReadonlyMap<string, string>>;
}

/** More at once would use up the time that a change has for the workers. */
const mostAtOnce = 200;

export class HttpsSet {
  readonly map: SmallMap;
  readonly #deps: HttpsSetDeps;
  readonly #usage: HttpsUsage;
  readonly #writer: SmallSetWriter;
  /** Their entries are stored, and not every worker was read back to hold them. */
  #underWay = 0;

  constructor(deps: HttpsSetDeps) {
    const { socket, path, turns, windows, changer } = deps;
    this.#deps = deps;
    this.#usage = deps.usage ?? usedWholly;
    this.map = new SmallMap({
      name: 'https_sites',
      path,
      runtime: new RuntimeMap({ socket, path, keys: 'names', valueFor: (key) => this.map.valueFor(key) }),
      reread: () => this.updateHttpsMap(),
      unused: () => this.#usage.last.mapLoaded === false,
      inEveryWorker: false,
    });
    this.#writer = new SmallSetWriter({
      turns,
      windows,
      changer,
      writeFiles: () => this.#writeFile(),
    });
  }

  /** Called at start, before every reload, and by a sync. */
  async updateHttpsMap(): Promise<void> {
    await this.#deps.turns.take('urgent', async () => {
      this.map.replaceAll(await this.#deps.store.entries());
      await this.#writeFile();
    });
  }

  /** Entries that end before HAProxy starts; one that runs is compared afterwards. */
  async endBeforeStart(names: readonly string[]): Promise<void> {
    await this.#deps.turns.take('urgent', async () => {
      await this.#deps.store.change({ site: null, set: new Map(), remove: names }, this.#deps.now());
      this.#hold(new Map(), names);
      await this.#writeFile();
    });
  }

  /** False: another process changed or removed it, or it was never written. */
  async fileUnchanged(): Promise<boolean> {
    return await this.map.file.unchanged();
  }

  async state(): Promise<HttpsState> {
    return { sites: await this.#deps.store.sites(), entries: this.map.entries() };
  }

  /** Whether the live configuration, as of the last check, does not use the map. */
  get unused(): boolean {
    return this.#usage.last.mapLoaded === false;
  }

  /** Why workers may not do what the entries say; null: all of them were read back. */
  get obstacle(): string | null {
    if (this.unused) return unusedHttpsMap;
    if (this.#underWay > 0) return 'the workers are being changed';
    if (!this.#deps.registry.all().some(({ role }) => role === 'current')) return 'no worker was found';
    return this.leftover;
  }

  /** Why a current worker may still do what removed entries said; null: none does. */
  get leftover(): string | null {
    if (this.unused) return null;
    for (const worker of this.#deps.registry.all().filter(({ role }) => role === 'current')) {
      const { inSync, reason } = this.#deps.registry.stateOf(worker, this.map.name);
      if (!inSync) return `current worker ${worker.pid}: ${reason ?? 'not verified'}`;
    }
    return null;
  }

  /**
   * Null: there is no such site. Errors: 6004, 6002.
   * @returns also `more`: some entries wait for a next change
   */
  async change(change: HttpsChange): Promise<(HttpsReport & { readonly more: boolean }) | null> {
    this.#underWay += 1;
    try {
      return await this.#change(change);
    } finally {
      this.#underWay -= 1;
    }
  }

  async #change(change: HttpsChange): Promise<(HttpsReport & { readonly more: boolean }) | null> {
    const { what, caller } = change;
    const done = await this.#writer.change<{ readonly known: boolean; readonly more: boolean }>(caller, async () => {
      const { sites, entries } = await this.state();
      const before = sites.find(({ domain }) => domain === change.site?.domain)?.tls;
      const site =
        change.site === null ? null : { domain: change.site.domain, tls: change.site.tls(before ?? plainHttp) };
      const wished =
        site === null ? sites : sites.map((one) => (one.domain === site.domain ? { ...one, tls: site.tls } : one));
      const wanted = await change.wanted({ sites: wished, entries });
      const all = differences(entries, wanted);
      const [add, remove] = [all.add.slice(0, mostAtOnce), all.remove.slice(0, mostAtOnce)];
      const more = add.length < all.add.length || remove.length < all.remove.length;
      const earlier = new Map([...add, ...remove].flatMap((name) => entriesOf(entries, name)));
      return {
        texts: [...add, ...remove],
        store: async (): Promise<Made<{ known: boolean; more: boolean }> | null> => {
          if (site === null && add.length + remove.length === 0) return null;
          const set = new Map(add.map((name) => [name, wanted.get(name)!]));
          const audited =
            site === null || caller === null
              ? undefined
              : auditedChange('set_site_tls', caller, { target: site.domain, details: { ...site.tls } });
          const known = await this.#deps.store.change({ site, set, remove }, this.#deps.now(), audited);
          if (known) this.#hold(set, remove);
          const undo = async (): Promise<void> => {
            const undone = site === null || before === undefined ? null : { domain: site.domain, tls: before };
            const added = add.filter((name) => !earlier.has(name));
            await this.#deps.store.change({ site: undone, set: earlier, remove: added }, this.#deps.now());
            this.#hold(earlier, added);
          };
          const maps = known ? [{ map: this.map, add, remove }] : [];
          return { value: { known, more }, counts: { ...nothingChanged, updated: 1 }, maps, undo };
        },
      };
    });
    if (done === null) return { runtimeUpdated: true, reloadScheduled: false, reason: null, more: false };
    if (!done.value.known) return null;
    return { ...(await this.#reportOf(done.result, what)), more: done.value.more };
  }

  #hold(set: ReadonlyMap<string, string>, remove: readonly string[]): void {
    for (const name of remove) this.map.letGo(name);
    for (const [name, value] of set) this.map.hold(name, value);
  }

  async #writeFile(): Promise<void> {
    await this.map.file.write(smallMapText('https settings of sites', this.map.entries()));
  }

  async #reportOf({ failures: found, currentFailed }: SmallSetResult, what: string): Promise<HttpsReport> {
    const failures = found.filter((failure) => !this.#needsNoMap(failure));
    if (failures.length < found.length) this.#deps.recheck();
    const [first] = failures;
    if (first === undefined) return { runtimeUpdated: true, reloadScheduled: false, reason: null };
    if ((await this.#usage.check()).mapLoaded === false) {
      // No reload of this configuration would load the map.
      return { runtimeUpdated: false, reloadScheduled: false, reason: unusedHttpsMap };
    }
    const who = first.worker === null ? 'current worker' : `worker ${first.worker}`;
    const reason = `${who}: ${first.reason}`;
    return {
      runtimeUpdated: false,
      reloadScheduled: currentFailed && this.#deps.scheduleReload(`${what}: ${reason}`),
      reason,
    };
  }

  /** It has not loaded the map and needs none: the map is empty, or the worker drains with an earlier configuration. */
  #needsNoMap({ worker, responses }: SmallMapFailure): boolean {
    if (!responses.some(isUnknownMap)) return false;
    return this.map.size === 0 || (worker !== null && this.#deps.registry.byPid(worker)?.role === 'draining');
  }
}

function entriesOf(entries: ReadonlyMap<string, string>, name: string): [string, string][] {
  const value = entries.get(name);
  return value === undefined ? [] : [[name, value]];
}
