import type { WorkerHolding } from '../api/blocked-entries.ts';
import type { CheckAnswer, WorkerVerdict } from '../api/check.ts';
import type { TrustedIp } from '../api/trusted-ips.ts';
import { Mutex } from '../concurrency/mutex.ts';
import { shared } from '../concurrency/shared.ts';
import { type IpEntry, lookupForms } from '../domain/ip.ts';
import { type RuntimeMap, RuntimeMapRejection } from '../haproxy/maps/runtime-map.ts';
import { showProcesses } from '../haproxy/process/workers.ts';
import { type MasterSocket, MasterSocketError } from '../haproxy/socket/master-socket.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { WorkerRegistry } from './compare/worker-registry.ts';
import type { Sources } from './sources.ts';
import type { TrustedEntries } from './trusted-entries.ts';
import type { UpstreamEntries } from './upstream-entries.ts';

type Verdict = WorkerVerdict['verdict'];

const patienceMs = 1_500;
const reader = { reader: true } as const;
/** Deadline of a lookup that was sent, however long it waited for others to the same worker. */
const answerMs = 1_000;

const listedInside = 100;

type Inside = Pick<CheckAnswer, 'blocked_inside' | 'blocked_inside_total'>;
const nothingInside: Inside = { blocked_inside: [], blocked_inside_total: 0 };

/** The worker left a command unanswered: another one would hold one more of the few slots. */
class Unanswered extends Error {}

/** The narrowest entries that cover an address; null: none. */
export interface Deciding {
  readonly mayTrust: boolean;
  readonly trustedBy: string | null;
  readonly blockedBy: string | null;
}

interface AddressCheckerDeps {
  readonly store: BlockedIpsStore;
  readonly sources: Pick<Sources, 'claimsOf'>;
  readonly trusted: TrustedEntries;
  readonly upstreams: UpstreamEntries;
  readonly trustOf: (ip: string) => Promise<Pick<TrustedIp, 'note' | 'expires_at'> | null>;
  readonly socket: MasterSocket;
  readonly registry: WorkerRegistry;
  readonly blockedMap: RuntimeMap;
  readonly trustedMap: RuntimeMap;
  /** False: the live configuration also denies trusted addresses. */
  readonly trustHasEffect: () => Promise<boolean>;
}

export class AddressChecker {
  readonly #deps: AddressCheckerDeps;
  readonly #lookups = new Map<number, Mutex>();
  readonly #observe = shared(() => this.#observeOnce());

  constructor(deps: AddressCheckerDeps) {
    this.#deps = deps;
  }

  async check(entry: IpEntry): Promise<CheckAnswer> {
    const { mayTrust, trustedBy, blockedBy } = await this.deciding(entry);
    const row = blockedBy === null ? null : await this.#deps.store.get(blockedBy);
    const verdict: Verdict = trustedBy !== null ? 'trusted' : row !== null ? 'blocked' : 'allowed';
    const trust = trustedBy === null ? null : await this.#deps.trustOf(trustedBy);
    const inside = verdict === 'allowed' ? await this.#blockedInside(entry) : nothingInside;
    // A lookup answers for one address; no single address represents such a network.
    const partly = inside.blocked_inside_total > 0;
    const workers = partly ? null : await this.#workersSay(entry, mayTrust);
    const claims =
      verdict === 'blocked' && row !== null
        ? (await this.#deps.sources.claimsOf([row])).get(row.ip_address)
        : undefined;
    const upstream = this.#deps.upstreams.of(entry);
    return {
      ip_address: entry.text,
      ...(upstream === null ? {} : { upstream: upstream.name }),
      verdict: partly ? 'partly' : verdict,
      ...inside,
      by: trustedBy ?? row?.ip_address ?? null,
      reason: trust?.note ?? (verdict === 'blocked' ? (row?.reason ?? null) : null),
      expires_at: trust?.expires_at ?? (verdict === 'blocked' ? (row?.expires_at ?? null) : null),
      ...(claims === undefined ? {} : { claims }),
      enforced: workers === null ? null : workers.every((worker) => worker.verdict === verdict),
      workers: workers ?? [],
    };
  }

  /** From memory and the database. `mayTrust` false: trust has no effect in the live configuration. */
  async deciding(entry: IpEntry): Promise<Deciding> {
    const mayTrust = await this.#deps.trustHasEffect();
    const [trustedBy = null] = mayTrust ? this.#deps.trusted.covering(entry) : [];
    return { mayTrust, trustedBy, blockedBy: await this.#blockedBy(entry) };
  }

  async #blockedInside(entry: IpEntry): Promise<Inside> {
    if (!entry.text.includes('/')) return nothingInside;
    const { items, total } = await this.#deps.store.page({ q: entry.text, limit: listedInside, now: new Date(0) });
    return { blocked_inside: items.map((row) => row.ip_address), blocked_inside_total: total };
  }

  /** Whether each live worker holds the entry itself. */
  async holdings(entry: IpEntry): Promise<WorkerHolding[]> {
    if (!(await this.#observe())) {
      return this.#deps.registry.all().map(({ pid, role }) => ({ pid, draining: role === 'draining', holds: null }));
    }
    return await Promise.all(
      this.#deps.registry.all().map(async ({ pid, role }) => ({
        pid,
        draining: role === 'draining',
        holds: await this.#holds(entry, pid),
      })),
    );
  }

  async #holds(entry: IpEntry, pid: number): Promise<boolean | null> {
    try {
      const found = await this.#alone(pid, (deadline) =>
        this.#deps.blockedMap.runtimeMapLookup(networkAddress(entry), deadline, { kind: 'pid', pid }, reader),
      );
      if (found === null) return false;
      if (found.key === entry.text) return found.value === '1';
      // A narrower entry on the network's first address hides it: unknown.
      return entry.text.includes('/') ? null : false;
    } catch (error) {
      if (isUnknown(error)) return null;
      throw error;
    }
  }

  /** The entry that HAProxy would match: its own, or the narrowest network around it. */
  async #blockedBy(entry: IpEntry): Promise<string | null> {
    for (const form of lookupForms(entry)) {
      if ((await this.#deps.store.get(form.text)) !== null) return form.text;
      const [narrowest] = await this.#deps.store.coveringOf(form);
      if (narrowest !== undefined) return narrowest;
    }
    return null;
  }

  async #workersSay(entry: IpEntry, mayTrust: boolean): Promise<{ pid: number; verdict: Verdict }[] | null> {
    if (!(await this.#observe())) return null;
    const address = networkAddress(entry);
    try {
      return await Promise.all(
        this.#deps.registry.all().map(({ pid }) =>
          this.#alone(pid, async (deadline) => {
            const worker = { kind: 'pid', pid } as const;
            const trusted = mayTrust
              ? await this.#deps.trustedMap.runtimeMapLookup(address, deadline, worker, reader)
              : null;
            if (isHit(trusted)) return { pid, verdict: 'trusted' as const };
            const blocked = await this.#deps.blockedMap.runtimeMapLookup(address, deadline, worker, reader);
            return { pid, verdict: isHit(blocked) ? ('blocked' as const) : ('allowed' as const) };
          }),
        ),
      );
    } catch (error) {
      if (isUnknown(error)) return null;
      throw error;
    }
  }

  /** One lookup per worker at a time: unanswered ones would fill the slots, and blocks reach no other worker. */
  async #alone<T>(pid: number, ask: (deadline: number) => Promise<T>): Promise<T> {
    const turnBy = performance.now() + patienceMs;
    const lookups = this.#lookups.get(pid) ?? new Mutex();
    this.#lookups.set(pid, lookups);
    return await lookups.run(async () => {
      const worker = this.#deps.registry.byPid(pid);
      if (worker?.unresponsive === true || performance.now() >= turnBy) throw new Unanswered();
      try {
        return await ask(performance.now() + answerMs);
      } catch (error) {
        const unanswered = error instanceof MasterSocketError && error.reason === 'deadline' && error.command !== '';
        // RuntimeLink tracks the current worker.
        if (unanswered && worker?.role === 'draining') worker.unresponsive = true;
        throw error;
      }
    });
  }

  async #observeOnce(): Promise<boolean> {
    try {
      const { registry, socket } = this.#deps;
      registry.observe(await showProcesses(socket, performance.now() + patienceMs, reader));
      for (const pid of this.#lookups.keys()) if (registry.byPid(pid) === null) this.#lookups.delete(pid);
      return registry.current() !== null;
    } catch (error) {
      if (error instanceof MasterSocketError) return false;
      throw error;
    }
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof MasterSocketError || error instanceof RuntimeMapRejection || error instanceof Unanswered;
}

function isHit(found: { readonly value: string } | null): boolean {
  return found !== null && /^\d+$/.test(found.value) && Number(found.value) > 0;
}

/** `get map` finds an IPv6 network only by its first address (docs/haproxy-notes.md). */
function networkAddress(entry: IpEntry): string {
  return entry.text.split('/', 1)[0]!;
}
