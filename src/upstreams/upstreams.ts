// Upstreams: in force at once in the running maps. Only the first one, and the removal of the last, is a safe reload,
// since a configuration without upstreams has no rules for them.
import type { Caller } from '../api/caller.ts';
import type { RuntimeReport } from '../api/changes.ts';
import type { ReloadAnswer } from '../api/configuration.ts';
import type {
  UpstreamAnswer,
  UpstreamList,
  UpstreamRecord,
  UpstreamRemoved,
  UpstreamReport,
} from '../api/upstreams.ts';
import type { ChangeCounts } from '../blocking/answers.ts';
import { type UpstreamSet, unknownUpstream } from '../blocking/upstream-set.ts';
import { Mutex } from '../concurrency/mutex.ts';
import { TimeSlice } from '../concurrency/slices.ts';
import type { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import type { ReplaceConsent } from '../configuration/reload/replace-consent.ts';
import { covers, type IpEntry } from '../domain/ip.ts';
import { addressesIn, type Upstream } from '../domain/upstream.ts';
import { type PresetName, presetNetworks } from '../domain/upstream-presets.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Emit } from '../events/facts.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { StoredUpstream } from '../store/upstreams-store.ts';
import type { UnnamedByUpstream } from './unnamed-requests.ts';

const listedInside = 100;

/** `networks` undefined: those of an existing upstream of this preset stay; others get the list of the preset. */
export interface WantedUpstream extends Omit<Upstream, 'networks'> {
  readonly networks: readonly IpEntry[] | undefined;
  readonly preset: PresetName | null;
}

interface UpstreamsDeps {
  readonly set: UpstreamSet;
  readonly blocked: Pick<BlockedIpsStore, 'firstWithin' | 'countWithin'>;
  /** Null: others write the configuration, and its rules are theirs. */
  readonly reloads: Pick<ReloadCoordinator, 'change'> | null;
  /** Null: unknown. */
  readonly unnamed: () => Promise<UnnamedByUpstream | null>;
  readonly emit: Emit;
}

export class Upstreams {
  readonly #deps: UpstreamsDeps;
  /** A second upstream must not be stored while the removal of the last one reloads. */
  readonly #mutex = new Mutex();

  constructor(deps: UpstreamsDeps) {
    this.#deps = deps;
  }

  async list(): Promise<UpstreamList> {
    const { set, unnamed } = this.#deps;
    const [rows, { inForce, reason }, counts] = await Promise.all([set.list(), set.effect(), unnamed()]);
    const items: UpstreamReport[] = [];
    for (const row of rows) items.push({ ...(await this.#recordOf(row)), ...unnamedOf(row.name, counts) });
    return { items, total: items.length, in_force: inForce, reason };
  }

  /** Errors: 1100. */
  async get(name: string): Promise<UpstreamReport> {
    const row = (await this.#deps.set.list()).find((stored) => stored.name === name);
    if (row === undefined) throw unknownUpstream('get upstream', name);
    return { ...(await this.#recordOf(row)), ...unnamedOf(row.name, await this.#deps.unnamed()) };
  }

  /** Errors: 109, 1002; of the first one also 6020, 422, and then nothing is stored; 503 when not confirmed. */
  async put(
    wanted: WantedUpstream,
    consent: ReplaceConsent,
    caller: Caller,
  ): Promise<{ readonly created: boolean; readonly counts: ChangeCounts; readonly answer: UpstreamAnswer }> {
    return await this.#mutex.run(async () => {
      const rows = await this.#deps.set.list();
      const before = rows.find(({ name }) => name === wanted.name);
      const upstream = { ...wanted, networks: wanted.networks ?? networksFor(wanted, before) };
      const networksGiven = upstream.networks !== before?.networks;
      const store = (by: Caller) => this.#deps.set.put(upstream, wanted.preset, by, { networksGiven });
      const { done, reload } = await this.#change(rows.length === 0, true, `upstream ${wanted.name} set`, {
        consent,
        caller,
        store,
      });
      const { created, counts, row, report } = done;
      const subject = { upstream: row.name };
      this.#deps.emit('operation.done', {
        operation: 'set_upstream',
        caller,
        subject,
        created,
        networks: row.networks.length,
        report,
      });
      return { created, counts, answer: { ...(await this.#recordOf(row)), ...reload, ...report } };
    });
  }

  /** Errors: 1100; of the last one as for the first one. */
  async remove(name: string, consent: ReplaceConsent, caller: Caller): Promise<UpstreamRemoved> {
    return await this.#mutex.run(async () => {
      const rows = await this.#deps.set.list();
      if (!rows.some((row) => row.name === name)) throw unknownUpstream('remove upstream', name);
      const store = (by: Caller) => this.#deps.set.remove(name, by);
      const { done: report, reload } = await this.#change(rows.length === 1, false, `upstream ${name} removed`, {
        consent,
        caller,
        store,
      });
      this.#deps.emit('operation.done', { operation: 'remove_upstream', caller, subject: { upstream: name }, report });
      return { name, ...reload, ...report };
    });
  }

  /** @param rules whether the configuration has rules for upstreams afterwards */
  async #change<T extends RuntimeReport | { readonly report: RuntimeReport }>(
    needsReload: boolean,
    rules: boolean,
    reason: string,
    { consent, caller, store }: { consent: ReplaceConsent; caller: Caller; store: (by: Caller) => Promise<T> },
  ): Promise<{ readonly done: T; readonly reload: { readonly reload?: ReloadAnswer } }> {
    const { reloads } = this.#deps;
    if (!needsReload || reloads === null) return { done: await store(caller), reload: {} };
    let done: T | null = null;
    const reload = await reloads.change(async () => ({
      reasons: [reason],
      ...consent,
      upstreams: {
        rules,
        store: async () => {
          // The reload took longer than the time that a change has for the workers.
          done = await store({ ...caller, receivedAt: performance.now() });
        },
      },
    }));
    return { done: done!, reload: { reload } };
  }

  async #recordOf(row: StoredUpstream): Promise<UpstreamRecord> {
    return {
      name: row.name,
      preset: row.preset,
      networks: row.networks.map(({ text }) => text),
      addresses: addressesIn(row.networks),
      header: row.header,
      chain: row.chain,
      proxy_protocol: row.proxyProtocol,
      on_invalid: row.onInvalid,
      note: row.note,
      created_at: row.createdAt,
      updated_at: row.updatedAt,
      networks_at: row.networksAt,
      ...(await this.#blockedInside(row.networks)),
    };
  }

  async #blockedInside(
    networks: readonly IpEntry[],
  ): Promise<Pick<UpstreamRecord, 'blocked_inside' | 'blocked_inside_total'>> {
    const { blocked } = this.#deps;
    const slice = new TimeSlice();
    const inside: string[] = [];
    let total = 0;
    for (const network of outermost(networks)) {
      const wanted = listedInside - inside.length;
      const texts = wanted === 0 ? [] : await blocked.firstWithin(network, wanted);
      inside.push(...texts);
      // If there may be more.
      total += texts.length < wanted ? texts.length : await blocked.countWithin(network);
      if (slice.due()) await slice.rest();
    }
    return { blocked_inside: inside, blocked_inside_total: total };
  }
}

/** Networks of one CDN, kept for another, could name any client in a header that their owner does not set. Errors: 109. */
function networksFor({ name, preset }: WantedUpstream, before: StoredUpstream | undefined): readonly IpEntry[] {
  if (before !== undefined && before.preset === preset) return before.networks;
  const networks = preset === null ? [] : presetNetworks(preset);
  if (networks.length > 0 || before === undefined) return networks;
  const description = `required, because ${name} was not of the preset ${preset} so far, and no list of its networks is known`;
  throw new ServiceError(codes.InvalidUpstream, 'set upstream', `networks: ${description}`, {
    fields: [{ name: 'networks', description }],
  });
}

/**
 * Networks inside others of them would be counted twice.
 * @param networks in address order, so that a network comes before those inside it
 */
function outermost(networks: readonly IpEntry[]): IpEntry[] {
  const outer: IpEntry[] = [];
  for (const network of networks) {
    const last = outer.at(-1);
    if (last === undefined || !covers(last, network)) outer.push(network);
  }
  return outer;
}

function unnamedOf(name: string, counts: UnnamedByUpstream | null) {
  const found = counts?.get(name);
  const requests = found?.requests ?? (counts === null ? null : 0);
  return { unnamed_requests: requests, last_unnamed_at: found?.lastAt.toISOString() ?? null };
}
