// Takes entries out when their time is over: within two seconds, and at start those whose time ended while the
// service was away. Looks at the wall clock each time, so a clock that jumps does no harm.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseIp } from '../domain/ip.ts';
import { crashPoint } from '../faults/crash-point.ts';
import type { BlockedChange, BlockedIpsStore } from '../store/blocked-ips-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { ChangeResult } from './group-writer.ts';

const lookEveryMs = 500;
const groupAtMost = 500;

export class Expiry {
  readonly #store: BlockedIpsStore;
  readonly #log: Log;
  readonly #now: () => Date;
  readonly #change: (changes: readonly BlockedChange[]) => Promise<ChangeResult>;
  readonly #removalsAtMost: () => number;
  readonly #onExpired: (ips: readonly string[], result: ChangeResult) => void;
  readonly #stop = new AbortController();
  #loop: Promise<void> | null = null;
  /** The same failure, twice a second, is told once. */
  #lastFailure: string | null = null;

  constructor(options: {
    readonly store: BlockedIpsStore;
    readonly log: Log;
    readonly now: () => Date;
    readonly change: (changes: readonly BlockedChange[]) => Promise<ChangeResult>;
    /** Removals that the workers can be expected to make before a group's deadline. */
    readonly removalsAtMost: () => number;
    readonly onExpired: (ips: readonly string[], result: ChangeResult) => void;
  }) {
    this.#store = options.store;
    this.#log = options.log;
    this.#now = options.now;
    this.#change = options.change;
    this.#removalsAtMost = options.removalsAtMost;
    this.#onExpired = options.onExpired;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const mayBeMore = await this.#expireOnce();
        this.#lastFailure = null;
        if (mayBeMore) continue;
      } catch (error) {
        const cause = causeText(error);
        if (cause !== this.#lastFailure) {
          this.#log.error('Expired entries could not be taken out; they are tried again', { cause });
        }
        this.#lastFailure = cause;
      }
      try {
        await sleep(lookEveryMs, undefined, { signal });
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
      }
    }
  }

  /** Whether more may be waiting. */
  async #expireOnce(): Promise<boolean> {
    const now = this.#now().toISOString();
    const groupSize = Math.min(groupAtMost, this.#removalsAtMost());
    const due = await this.#store.expiredBefore(now, groupSize);
    if (due.length === 0) return false;
    const changes: BlockedChange[] = [];
    for (const ip of due) {
      const parsed = parseIp(ip);
      if (parsed.ok) changes.push({ op: 'expire', entry: parsed.entry, now });
    }
    if (changes.length === 0) return false;
    crashPoint('expiry.found');
    const result = await this.#change(changes);
    crashPoint('expiry.done');
    const expired = result.effects.flatMap((effect) =>
      effect.op === 'expire' && effect.removed !== null ? [effect.removed.ip_address] : [],
    );
    if (expired.length > 0) this.#onExpired(expired, result);
    // Rows that are not in the form in which the service writes them would come up again at once, for ever.
    return expired.length > 0 && due.length === groupSize;
  }
}
