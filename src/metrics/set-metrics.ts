// The sets, the changes that wait, and the workers. Read from memory at every scrape, except what only the database
// knows.
import { type Instruments, OptionalGauge } from './instruments.ts';

/** Read at every scrape; free of cost. */
export interface SetSources {
  blockedEntries(): number;
  trustedEntries(): number;
  /** Changes that wait for the writer. */
  queuedChanges(): number;
  /** Groups, slices of bulk changes, repairs. */
  queuedTurns(): number;
  masterSocketUp(): boolean;
  workers(): readonly { readonly role: 'current' | 'draining'; readonly whole: boolean }[];
  /** When every live worker was last verified to be in sync; null: not since the start. */
  lastVerifiedAt(): Date | null;
}

/** From the database, fast at any size. */
export interface StoredFacts {
  /** ISO 8601; null: no entry expires. */
  readonly nextExpiry: string | null;
  readonly sites: number;
}

/** From the database, counted in slices. */
interface CountedFacts {
  readonly expiring: number | null;
  readonly claims: ClaimsByKind | null;
}

export type ClaimsByKind = Readonly<Record<'manual' | 'agent' | 'list', number>>;

const roles = ['current', 'draining'] as const;

export class SetMetrics {
  readonly #entries;
  readonly #claims;
  readonly #expiring;
  readonly #nextExpiry;
  readonly #sites;
  readonly #queuedChanges;
  readonly #queuedTurns;
  readonly #socketUp;
  readonly #workers;
  readonly #whole;
  readonly #verified;

  constructor(instruments: Instruments) {
    this.#entries = instruments.gauge('entries', 'Entries of the database.', ['set']);
    this.#claims = instruments.gauge(
      'claims',
      'Claims of sources to blocked addresses; absent while the database cannot be read.',
      ['source_kind'],
    );
    this.#expiring = new OptionalGauge(
      instruments,
      'expiring_entries',
      'Temporary blocks; absent while the database cannot be read.',
    );
    this.#nextExpiry = new OptionalGauge(
      instruments,
      'next_expiry_timestamp_seconds',
      'When the next block expires; absent if none does. A time in the past is overdue.',
    );
    this.#sites = new OptionalGauge(instruments, 'sites', 'Sites of the database; absent while it cannot be read.');
    this.#queuedChanges = instruments.gauge('queued_changes', 'Changes that wait for the writer.');
    this.#queuedTurns = instruments.gauge('queued_turns', 'Groups, slices and repairs in the write queue.');
    this.#socketUp = instruments.gauge('master_socket_up', 'Whether the master socket answered the last command.');
    this.#workers = instruments.gauge('workers', 'Live workers of HAProxy.', ['role']);
    this.#whole = instruments.gauge('workers_verified', 'Workers that are in sync with the database.', ['role']);
    this.#verified = instruments.gauge(
      'last_verified_sync_timestamp_seconds',
      'When all live workers were last in sync with the database; 0: not since the start of the service.',
    );
  }

  /** @param stored null, as each of `counted`: the database could not be read, or was too slow */
  refresh(sources: SetSources, stored: StoredFacts | null, counted: CountedFacts): void {
    this.#entries.set({ set: 'blocked' }, sources.blockedEntries());
    this.#entries.set({ set: 'trusted' }, sources.trustedEntries());
    this.#queuedChanges.set(sources.queuedChanges());
    this.#queuedTurns.set(sources.queuedTurns());
    this.#socketUp.set(sources.masterSocketUp() ? 1 : 0);
    const workers = sources.workers();
    for (const role of roles) {
      const own = workers.filter((worker) => worker.role === role);
      this.#workers.set({ role }, own.length);
      this.#whole.set({ role }, own.filter(({ whole }) => whole).length);
    }
    this.#verified.set((sources.lastVerifiedAt()?.getTime() ?? 0) / 1_000);
    const nextExpiry = stored?.nextExpiry ?? null;
    this.#expiring.set(counted.expiring);
    this.#claims.reset();
    for (const [kind, claims] of Object.entries(counted.claims ?? {})) this.#claims.set({ source_kind: kind }, claims);
    this.#nextExpiry.set(nextExpiry === null ? null : Date.parse(nextExpiry) / 1_000);
    this.#sites.set(stored?.sites ?? null);
  }
}
