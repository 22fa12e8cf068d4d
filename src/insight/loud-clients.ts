// Clients that are not blocked and send many requests or errors. HAProxy counts 1 in 16 of their requests; figures here
// are of that sample until they are shown.

import { sortedInSlices, TimeSlice } from '../concurrency/slices.ts';
import type { WorkerReading } from './readings.ts';

/** Of 16 requests one is counted. */
export const sampledOneIn = 16;
export const mostClients = 5_000;
const minutesKept = 11;
/** A client that is silent for longer begins again. */
const silentSeconds = 120;
const daySeconds = 86_400;

export interface CandidateLimits {
  /** Requests a second, over ten minutes. */
  readonly rate: number;
  /** Of its requests, from 0 to 1. */
  readonly error_share: number;
  /** Errors in ten minutes, below which their share does not matter. */
  readonly error_requests: number;
}

export interface LoudClient {
  /** Canonical; a /64 of IPv6. */
  readonly address: string;
  /** Since it was last silent, in seconds. */
  activeSince: number;
  lastSeen: number;
  /** Since it was first seen, in the sample. */
  requests: number;
  errors: number;
  firstSeen: number;
  ignoredUntil: number | null;
  /** The last ones, oldest first, each with its number since 1970. */
  minutes: { readonly minute: number; requests: number; errors: number }[];
  /** The last values of HAProxy by worker. */
  last: Map<number, { readonly requests: number; readonly errors: number }>;
  /** Whether the database has it. */
  stored: boolean;
}

/** Over the last ten complete minutes, estimated from the sample. */
export interface ClientRate {
  /** A second. */
  readonly rate: number;
  readonly requests: number;
  readonly errors: number;
}

export class LoudClients {
  readonly #clients = new Map<string, LoudClient>();
  #gone = new Set<string>();
  #changed = new Set<LoudClient>();

  get size(): number {
    return this.#clients.size;
  }

  all(): Iterable<LoudClient> {
    return this.#clients.values();
  }

  /** A new one, if it is not known. */
  get(address: string, at: number): LoudClient {
    return this.#clients.get(address) ?? newClient(address, at);
  }

  restore(client: Omit<LoudClient, 'minutes' | 'last' | 'activeSince' | 'stored'>): void {
    const fresh = { activeSince: client.lastSeen, minutes: [], last: new Map(), stored: true };
    this.#clients.set(client.address, { ...client, ...fresh });
  }

  /** In slices, since there may be 100,000. @param worker its number  @param at in seconds */
  async count(worker: number, clients: WorkerReading['clients'], at: number): Promise<void> {
    const slice = TimeSlice.ofItems();
    for (const [address, { requests, rate, errors }] of clients) {
      if (slice.due()) await slice.rest();
      const known = this.get(address, at);
      const last = known.last.get(worker);
      // Of a client that was not followed only the last minute is known to be recent.
      const before = last ?? {
        requests: Math.max(0, requests - rate),
        errors: Math.max(0, errors - Math.min(errors, rate)),
      };
      const fell = requests < before.requests;
      const more = {
        requests: requests - (fell ? 0 : before.requests),
        errors: Math.max(0, errors - (fell ? 0 : before.errors)),
      };
      known.last.set(worker, { requests, errors });
      if (more.requests === 0) continue;
      if (at - known.lastSeen > silentSeconds) known.activeSince = at;
      known.lastSeen = at;
      known.requests += more.requests;
      known.errors += more.errors;
      addMinute(known, Math.floor(at / 60), more);
      this.#clients.set(address, known);
      this.#changed.add(known);
      this.#gone.delete(address);
    }
    await this.#forgetQuiet(at, slice);
  }

  /** Of workers that have exited. */
  keep(workers: ReadonlySet<number>): void {
    for (const { last } of this.#clients.values())
      for (const worker of last.keys()) if (!workers.has(worker)) last.delete(worker);
  }

  /** Above the limits for the last ten minutes. @param at in seconds */
  candidates(limits: CandidateLimits, at: number): { readonly client: LoudClient; readonly over: ClientRate }[] {
    const found: { readonly client: LoudClient; readonly over: ClientRate }[] = [];
    for (const client of this.#clients.values()) {
      if (at - client.activeSince < 600 || at - client.lastSeen > silentSeconds) continue;
      if (client.ignoredUntil !== null && client.ignoredUntil > at) continue;
      const over = rateOf(client, at);
      const faulty = over.errors >= limits.error_requests && over.errors >= limits.error_share * over.requests;
      if (over.rate >= limits.rate || faulty) found.push({ client, over });
    }
    return found.sort((a, b) => b.over.requests - a.over.requests);
  }

  /** No candidate until then; null: it may be one. It is stored already. */
  ignore(address: string, until: number | null, at: number): void {
    const client = this.get(address, at);
    client.ignoredUntil = until;
    client.stored = true;
    this.#clients.set(address, client);
    this.#changed.add(client);
  }

  /** Which have changed since the last call. */
  takeChanged(): ReadonlySet<LoudClient> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Which of the stored ones were forgotten since the last call. */
  takeGone(): ReadonlySet<string> {
    const gone = this.#gone;
    this.#gone = new Set();
    return gone;
  }

  /** Could not be stored. */
  giveBack(changed: Iterable<LoudClient>, gone: Iterable<string>): void {
    for (const client of changed) if (this.#clients.get(client.address) === client) this.#changed.add(client);
    for (const address of gone) if (!this.#clients.has(address)) this.#gone.add(address);
  }

  async #forgetQuiet(at: number, slice: TimeSlice): Promise<void> {
    const all: { readonly client: LoudClient; readonly requests: number }[] = [];
    for (const client of this.#clients.values()) {
      if (slice.due()) await slice.rest();
      const silent = at - client.lastSeen > daySeconds && (client.ignoredUntil ?? 0) <= at;
      if (silent) this.#forget(client.address);
      else all.push({ client, requests: rateOf(client, at).requests });
    }
    if (all.length <= mostClients) return;
    const quietest = await sortedInSlices(
      all,
      (a, b) => a.requests - b.requests || a.client.lastSeen - b.client.lastSeen,
    );
    for (const { client } of quietest.slice(0, all.length - mostClients)) {
      if (slice.due()) await slice.rest();
      this.#forget(client.address);
    }
  }

  #forget(address: string): void {
    const client = this.#clients.get(address);
    if (client === undefined) return;
    this.#changed.delete(client);
    this.#clients.delete(address);
    if (client.stored) this.#gone.add(address);
  }
}

export function rateOf({ minutes }: Pick<LoudClient, 'minutes'>, at: number): ClientRate {
  const now = Math.floor(at / 60);
  let [requests, errors] = [0, 0];
  for (const minute of minutes) {
    if (minute.minute >= now || minute.minute < now - 10) continue;
    requests += minute.requests;
    errors += minute.errors;
  }
  return { rate: (requests * sampledOneIn) / 600, requests: requests * sampledOneIn, errors: errors * sampledOneIn };
}

function newClient(address: string, at: number): LoudClient {
  const none = { requests: 0, errors: 0, ignoredUntil: null, minutes: [], last: new Map(), stored: false };
  return { address, activeSince: at, firstSeen: at, lastSeen: at, ...none };
}

function addMinute(
  client: LoudClient,
  minute: number,
  more: { readonly requests: number; readonly errors: number },
): void {
  const last = client.minutes.at(-1);
  if (last?.minute === minute) {
    last.requests += more.requests;
    last.errors += more.errors;
    return;
  }
  client.minutes.push({ minute, ...more });
  if (client.minutes.length > minutesKept) client.minutes.shift();
}
