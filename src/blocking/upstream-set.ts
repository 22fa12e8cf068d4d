// The upstreams, in two maps: what each network says about its client, and which networks speak PROXY protocol.

import type { Caller } from '../api/caller.ts';
import type { RuntimeReport } from '../api/changes.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import { count } from '../domain/counted.ts';
import type { IpEntry } from '../domain/ip.ts';
import { mostNetworksTogether, type Upstream, unusedUpstreamMap, upstreamValues } from '../domain/upstream.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { smallMapText } from '../haproxy/map-file/small-map-text.ts';
import { RuntimeMap } from '../haproxy/maps/runtime-map.ts';
import type { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { isUnknownMap } from '../haproxy/socket/replies.ts';
import { type AuditedChange, auditedChange } from '../store/audit-rows.ts';
import type { StoredUpstream, UpstreamsStore } from '../store/upstreams-store.ts';
import { type ChangeCounts, nothingChanged, runtimeReport } from './answers.ts';
import type { WorkerRegistry } from './compare/worker-registry.ts';
import { differences, SmallMap } from './small-map.ts';
import { type Made, type SmallMapFailure, type SmallSetResult, SmallSetWriter } from './small-set-writer.ts';
import { UpstreamEntries } from './upstream-entries.ts';
import type { ChangeWindows } from './write/change-windows.ts';
import type { RuntimeChanger } from './write/runtime-changer.ts';

export interface InForce {
  /** Null: not known. */
  readonly inForce: boolean | null;
  /** Why not, or why that is not known; null: it is. */
  readonly reason: string | null;
}

/** How the live configuration uses the maps. */
export interface UpstreamsInConfiguration {
  /** Whether it names the upstream map, so that workers load it; null: unknown. */
  readonly mapLoaded: boolean | null;
  /**
   * Whether each front end that denies blocked addresses judges the clients of upstreams; null: unknown.
   * @param needsProxyProtocol whether an upstream uses it
   */
  readonly frontEnds: (needsProxyProtocol: boolean) => readonly InForce[] | null;
  /** Why requests in which an upstream names no client are not all counted, each a sentence. */
  readonly uncounted: readonly string[];
}

export const unknownUpstreams: UpstreamsInConfiguration = { mapLoaded: null, frontEnds: () => null, uncounted: [] };

export interface UpstreamUsage {
  /** As of the last check. */
  readonly last: UpstreamsInConfiguration;
  check(): Promise<UpstreamsInConfiguration>;
}

const inUse: UpstreamsInConfiguration = { mapLoaded: true, frontEnds: () => [], uncounted: [] };
const isInForce: InForce = { inForce: true, reason: null };
const usedWholly: UpstreamUsage = { last: inUse, check: async () => inUse };

interface UpstreamSetDeps {
  readonly store: UpstreamsStore;
  readonly socket: MasterSocket;
  readonly upstreamsPath: string;
  readonly proxyProtocolPath: string;
  readonly registry: Pick<WorkerRegistry, 'all' | 'byPid' | 'stateOf'>;
  readonly turns: TurnQueue;
  readonly changer: RuntimeChanger;
  readonly windows: ChangeWindows;
  /** False: no reload of this configuration could enforce anything, so none is scheduled. */
  readonly scheduleReload: (reason: string) => boolean;
  /** Checks the workers soon: some were marked as suspect for a map that they need not have. */
  readonly recheck: () => void;
  readonly now: () => Date;
  /** Absent: the live configuration uses the maps. */
  readonly usage?: UpstreamUsage | undefined;
}

export interface UpstreamEffect extends InForce {
  /** False: the live configuration has no rules for upstreams at all, so every front end judges the peer. */
  readonly anywhere: boolean;
}

interface UpstreamChange {
  readonly before: StoredUpstream | null;
  readonly after: StoredUpstream | null;
}

export class UpstreamSet {
  readonly entries = new UpstreamEntries();
  readonly upstreams: SmallMap;
  readonly proxyProtocol: SmallMap;
  readonly #deps: UpstreamSetDeps;
  readonly #usage: UpstreamUsage;
  readonly #writer: SmallSetWriter;

  constructor(deps: UpstreamSetDeps) {
    const { socket, turns, windows, changer } = deps;
    this.#deps = deps;
    this.#usage = deps.usage ?? usedWholly;
    const shared = {
      reread: () => this.updateUpstreamMaps(),
      unused: () => this.#usage.last.mapLoaded === false,
      inEveryWorker: false,
    };
    this.upstreams = new SmallMap({
      ...shared,
      name: 'upstreams',
      path: deps.upstreamsPath,
      runtime: new RuntimeMap({ socket, path: deps.upstreamsPath, valueFor: (key) => this.upstreams.valueFor(key) }),
    });
    this.proxyProtocol = new SmallMap({
      ...shared,
      name: 'proxy_protocol',
      path: deps.proxyProtocolPath,
      runtime: new RuntimeMap({ socket, path: deps.proxyProtocolPath }),
    });
    this.#writer = new SmallSetWriter({
      turns,
      windows,
      changer,
      writeFiles: () => this.#writeFiles(),
      reached: (step) => crashPoint(`upstreams.${step}`),
    });
  }

  get maps(): readonly SmallMap[] {
    return [this.upstreams, this.proxyProtocol];
  }

  /** Called at start, before every reload, and by a sync. */
  async updateUpstreamMaps(): Promise<void> {
    await this.#deps.turns.take('urgent', async () => {
      this.#hold(await this.#deps.store.all());
      await this.#writeFiles();
    });
  }

  /** False: another process changed or removed one of the files, or it was never written. */
  async filesUnchanged(): Promise<boolean> {
    for (const map of this.maps) if (!(await map.file.unchanged())) return false;
    return true;
  }

  async list(): Promise<readonly StoredUpstream[]> {
    return await this.#deps.store.all();
  }

  /** The value that the upstream map has for an address; 0: none. */
  modeOf(address: IpEntry): number {
    const found = this.entries.of(address);
    return found === null ? 0 : Number(this.upstreams.valueFor(found.network));
  }

  /** Whether every worker judges the clients that the upstreams name. */
  async effect(): Promise<UpstreamEffect> {
    if (this.entries.isEmpty) return { ...isInForce, anywhere: true };
    const used = await this.#usage.check();
    const found = [...this.#inConfiguration(used), ...this.#inWorkers()];
    const worst = found.find(({ inForce }) => inForce === false) ?? found.find(({ inForce }) => inForce === null);
    return { ...(worst ?? isInForce), anywhere: used.mapLoaded !== false };
  }

  #inConfiguration({ mapLoaded, frontEnds }: UpstreamsInConfiguration): readonly InForce[] {
    if (mapLoaded === false) return [{ inForce: false, reason: unusedUpstreamMap }];
    const found = frontEnds(this.proxyProtocol.size > 0);
    if (mapLoaded !== null && found !== null) return found;
    return [{ inForce: null, reason: 'the live configuration could not be read' }];
  }

  #inWorkers(): readonly InForce[] {
    const { registry } = this.#deps;
    const workers = registry.all();
    if (!workers.some(({ role }) => role === 'current')) return [{ inForce: null, reason: 'no worker was found' }];
    return workers.flatMap((worker) =>
      this.maps.flatMap(({ name }) => {
        const { inSync, passing, reason } = registry.stateOf(worker, name);
        const words = `${worker.role} worker ${worker.pid}: ${name} map: ${reason ?? 'not verified'}`;
        return inSync ? [] : [{ inForce: passing === 'unverified' ? null : false, reason: words }];
      }),
    );
  }

  async areStored(): Promise<boolean> {
    return (await this.#deps.store.count()) > 0;
  }

  /** For `/health`, each as a sentence, as of the last check of the live configuration. */
  problems(): string[] {
    return this.#lastReasons(false);
  }

  /** The same, of what is not known, which does not degrade the health. */
  notices(): string[] {
    const { uncounted, frontEnds } = this.#usage.last;
    // Other parts of the health report that the configuration could not be read.
    const unknown = frontEnds(false) === null ? [] : this.#lastReasons(null);
    return this.entries.isEmpty ? [] : [...unknown, ...uncounted.map((reason) => `upstreams: ${reason}`)];
  }

  #lastReasons(wanted: boolean | null): string[] {
    if (this.entries.isEmpty) return [];
    const found = this.#inConfiguration(this.#usage.last).filter(({ inForce }) => inForce === wanted);
    return found.map(({ reason }) => `upstreams: ${reason}`);
  }

  /** An existing upstream is replaced. Errors: 1002, for a network of another upstream; 109, for too many together. */
  async put(
    upstream: Upstream,
    preset: string | null,
    caller: Caller,
    { networksGiven = true }: { readonly networksGiven?: boolean } = {},
  ): Promise<{ created: boolean; counts: ChangeCounts; row: StoredUpstream; report: RuntimeReport }> {
    const done = await this.#change('set_upstream', upstream.name, caller, (rows, before) => {
      refuseTaken(upstream, rows);
      refuseTooMany(upstream, rows);
      const now = this.#deps.now().toISOString();
      const networksAt = networksGiven ? now : (before?.networksAt ?? now);
      return {
        before,
        after: { ...upstream, preset, createdAt: before?.createdAt ?? now, updatedAt: now, networksAt },
      };
    });
    const { before, after } = done.value;
    return { created: before === null, counts: countsOf(done.value), row: after!, report: done.report };
  }

  /** Errors: 1100. */
  async remove(name: string, caller: Caller): Promise<RuntimeReport> {
    const { report } = await this.#change('remove_upstream', name, caller, (_, before) => {
      if (before === null) throw unknownUpstream('remove upstream', name);
      return { before, after: null };
    });
    return report;
  }

  async #change(
    operation: 'set_upstream' | 'remove_upstream',
    name: string,
    caller: Caller,
    plan: (rows: readonly StoredUpstream[], before: StoredUpstream | null) => UpstreamChange,
  ): Promise<{ value: UpstreamChange; report: RuntimeReport }> {
    const done = await this.#writer.change<UpstreamChange>(caller, async () => {
      const rows = await this.#deps.store.all();
      const change = plan(rows, rows.find((row) => row.name === name) ?? null);
      const { before, after } = change;
      const others = rows.filter((row) => row.name !== name);
      const values = upstreamValues(after === null ? others : [...others, after]);
      const maps = [
        { map: this.upstreams, ...differences(this.upstreams.entries(), values.upstreams) },
        { map: this.proxyProtocol, ...differences(this.proxyProtocol.entries(), values.proxyProtocol) },
      ];
      const details = after === null ? {} : { created: before === null, networks: after.networks.length };
      const audited = auditedChange(operation, caller, { target: name, details });
      return {
        texts: maps.flatMap(({ add, remove }) => [...add, ...remove]),
        store: async (): Promise<Made<UpstreamChange>> => {
          await this.#store(name, after, audited);
          this.#hold(after === null ? others : [...others, after]);
          return { value: change, counts: countsOf(change), maps, undo: () => this.#rollBack(name, before) };
        },
      };
    });
    return { value: done!.value, report: await this.#reportOf(done!.result, `${operation} ${name}`) };
  }

  async #store(name: string, row: StoredUpstream | null, audited?: AuditedChange): Promise<void> {
    const now = this.#deps.now();
    if (row === null) await this.#deps.store.remove(name, now, audited);
    else await this.#deps.store.put(row, now, audited);
  }

  /** Rolls back a change whose file could not be written. */
  async #rollBack(name: string, before: StoredUpstream | null): Promise<void> {
    await this.#store(name, before);
    this.#hold(await this.#deps.store.all());
  }

  #hold(rows: readonly StoredUpstream[]): void {
    const { upstreams, proxyProtocol } = upstreamValues(rows);
    this.entries.replaceAll(rows);
    this.upstreams.replaceAll(upstreams);
    this.proxyProtocol.replaceAll(proxyProtocol);
  }

  async #writeFiles(): Promise<void> {
    await this.upstreams.file.write(smallMapText('upstreams', this.upstreams.entries()));
    await this.proxyProtocol.file.write(smallMapText('PROXY protocol', this.proxyProtocol.entries()));
  }

  async #reportOf({ failures: found, currentFailed }: SmallSetResult, change: string): Promise<RuntimeReport> {
    const failures = found.filter((failure) => !this.#needsNoMap(failure)).map(({ map: _, ...failure }) => failure);
    if (failures.length < found.length) this.#deps.recheck();
    if (failures.length === 0) return runtimeReport([], false);
    if ((await this.#usage.check()).mapLoaded === false) {
      // No reload of this configuration would load the map.
      return runtimeReport(
        failures.map((failure) => ({ ...failure, reason: unusedUpstreamMap })),
        false,
      );
    }
    return runtimeReport(failures, currentFailed && this.#deps.scheduleReload(`${change}: ${failures[0]?.reason}`));
  }

  /**
   * It has not loaded the map, and needs none: nothing is left in it, or the worker is draining, with a configuration
   * without upstreams that believes no header of any peer.
   */
  #needsNoMap({ map, worker, responses }: SmallMapFailure): boolean {
    if (!responses.some(isUnknownMap)) return false;
    return map.size === 0 || (worker !== null && this.#deps.registry.byPid(worker)?.role === 'draining');
  }
}

export function unknownUpstream(op: string, name: string): ServiceError {
  return new ServiceError(codes.NotFound, op, `there is no upstream ${name}`);
}

function countsOf({ before, after }: UpstreamChange): ChangeCounts {
  if (after === null) return { ...nothingChanged, removed: 1 };
  return before === null ? { ...nothingChanged, added: 1 } : { ...nothingChanged, updated: 1 };
}

/** An upstream that does not grow is never too much. */
function refuseTooMany({ name, networks }: Upstream, rows: readonly StoredUpstream[]): void {
  const before = rows.find((row) => row.name === name)?.networks.length ?? 0;
  const total = rows.reduce((sum, row) => sum + row.networks.length, 0) - before + networks.length;
  if (total <= mostNetworksTogether || networks.length <= before) return;
  const description = `all upstreams together would have ${count(total)} networks, and at most ${count(mostNetworksTogether)} are possible: merge neighbouring networks, or remove an upstream first`;
  throw new ServiceError(codes.InvalidUpstream, 'set upstream', `networks: ${description}`, {
    fields: [{ name: 'networks', description }],
  });
}

function refuseTaken(upstream: Upstream, rows: readonly StoredUpstream[]): void {
  const owners = new Map(
    rows
      .filter(({ name }) => name !== upstream.name)
      .flatMap((row) => row.networks.map(({ text }): [string, string] => [text, row.name])),
  );
  const taken = upstream.networks.flatMap(({ text }) => {
    const owner = owners.get(text);
    return owner === undefined ? [] : [{ network: text, upstream: owner }];
  });
  const [first] = taken;
  if (first === undefined) return;
  const more = taken.length === 1 ? '' : ` (and ${taken.length - 1} more of its networks to others)`;
  throw new ServiceError(
    codes.NotUnique,
    'set upstream',
    `${first.network} belongs to the upstream ${first.upstream}${more}; a network has one upstream, so remove it there first`,
    { members: { taken } },
  );
}
