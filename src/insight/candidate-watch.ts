import type { TurnQueue } from '../concurrency/turn-queue.ts';
import type { Emit } from '../events/facts.ts';
import type { ClientsTable } from '../store/insight-schema.ts';
import type { InsightStore } from '../store/insight-store.ts';
import { keyOf } from './canonical.ts';
import type { InsightLimits } from './limits.ts';
import type { ClientRate, LoudClient, LoudClients } from './loud-clients.ts';

const minuteSeconds = 60;
/** An address is reported once in this time. */
const reportSeconds = 3_600;
/** Clients that one transaction writes. */
const writtenAtOnce = 1_000;

/** Who is never a candidate. */
export interface Exemptions {
  /** Why; null: it may be one. @param address canonical, an address or a /64 of IPv6  @throws StoreError */
  reason(address: string): Promise<string | null>;
}

export interface Candidate {
  readonly client: LoudClient;
  readonly over: ClientRate;
}

interface CandidateWatchDeps {
  readonly clients: LoudClients;
  readonly limits: Pick<InsightLimits, 'value'>;
  readonly exemptions: Exemptions;
  readonly records: Pick<InsightStore, 'writeClients'>;
  readonly turns: Pick<TurnQueue, 'take'>;
  readonly emit: Emit;
}

/** Clients that an operator may want to block. Nothing is blocked by itself. */
export class CandidateWatch {
  readonly #deps: CandidateWatchDeps;
  readonly #reported = new Map<string, number>();
  #judgedMinute: number | null = null;
  #count = 0;

  constructor(deps: CandidateWatchDeps) {
    this.#deps = deps;
  }

  /** How many there were when they were judged last. */
  get count(): number {
    return this.#count;
  }

  /** Those with most requests first. @param at in seconds @throws StoreError */
  async list(at: number): Promise<readonly Candidate[]> {
    const found: Candidate[] = [];
    for (const candidate of this.#deps.clients.candidates(this.#deps.limits.value, at)) {
      if ((await this.#deps.exemptions.reason(candidate.client.address)) === null) found.push(candidate);
    }
    return found;
  }

  /** Reports new ones, once a minute. @throws StoreError */
  async judge(at: number): Promise<void> {
    const minute = Math.floor(at / minuteSeconds);
    if (minute === this.#judgedMinute) return;
    this.#judgedMinute = minute;
    const candidates = await this.list(at);
    this.#count = candidates.length;
    for (const [address, reported] of this.#reported)
      if (at - reported >= reportSeconds) this.#reported.delete(address);
    for (const { client, over } of candidates) {
      if (this.#reported.has(client.address)) continue;
      this.#reported.set(client.address, at);
      const error_share = over.requests === 0 ? 0 : over.errors / over.requests;
      this.#deps.emit('candidate.found', { ip_address: client.address, rate: over.rate, error_share });
    }
  }

  /** What has changed, in slices with lower priority than blocks. @throws StoreError; then the rest is stored next time */
  async store(): Promise<void> {
    const { clients, records, turns } = this.#deps;
    let changed = [...clients.takeChanged()];
    let gone = [...clients.takeGone()];
    try {
      while (changed.length + gone.length > 0) {
        const written = changed.slice(0, writtenAtOnce);
        const deleted = gone.slice(0, writtenAtOnce);
        await turns.take('bulk', () => records.writeClients(written.map(rowOf), deleted.map(keyOf)));
        for (const client of written) client.stored = true;
        [changed, gone] = [changed.slice(written.length), gone.slice(deleted.length)];
      }
    } catch (error) {
      clients.giveBack(changed, gone);
      throw error;
    }
  }
}

/** As stored. */
export function rowOf(client: LoudClient): ClientsTable {
  return {
    ...{ address: keyOf(client.address), requests: client.requests, errors: client.errors },
    ...{ first_seen: client.firstSeen, last_seen: client.lastSeen, ignored_until: client.ignoredUntil },
  };
}
