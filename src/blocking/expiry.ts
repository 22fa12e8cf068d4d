import { parseIp } from '../domain/ip.ts';
import { crashPoint } from '../faults/crash-point.ts';
import type { BlockedChange, BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { ClaimsStore } from '../store/claims-store.ts';
import type { Log } from '../telemetry/log.ts';
import { ExpiryLoop } from './expiry-loop.ts';
import type { ChangeResult } from './write/group-writer.ts';

const groupAtMost = 500;
/** In one transaction: some 50 ms. */
const sweptAtMost = 2_000;

interface ExpiryDeps {
  readonly store: BlockedIpsStore;
  readonly claims: Pick<ClaimsStore, 'sweep'>;
  readonly log: Log;
  readonly now: () => Date;
  readonly change: (changes: readonly BlockedChange[]) => Promise<ChangeResult>;
  /** Removals that the workers are expected to complete before a group's deadline. */
  readonly removalsAtMost: () => number;
  readonly onExpired: (ips: readonly string[], result: ChangeResult) => void;
}

export class Expiry {
  readonly #deps: ExpiryDeps;
  readonly #loop: ExpiryLoop;

  constructor(deps: ExpiryDeps) {
    this.#deps = deps;
    this.#loop = new ExpiryLoop({ what: 'Expired entries', log: deps.log, expireOnce: () => this.expireOnce() });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Whether more may be waiting. */
  async expireOnce(): Promise<boolean> {
    await this.#deps.claims.sweep(this.#deps.now(), sweptAtMost);
    const now = this.#deps.now().toISOString();
    const groupSize = Math.min(groupAtMost, this.#deps.removalsAtMost());
    const due = await this.#deps.store.expiredBefore(now, groupSize);
    if (due.length === 0) return false;
    const changes: BlockedChange[] = [];
    for (const ip of due) {
      const parsed = parseIp(ip);
      if (parsed.ok) changes.push({ op: 'expire', entry: parsed.entry, now });
    }
    if (changes.length === 0) return false;
    crashPoint('expiry.found');
    const result = await this.#deps.change(changes);
    crashPoint('expiry.done');
    const expired = result.effects.flatMap((effect) =>
      effect.op === 'expire' && effect.removed !== null ? [effect.removed.ip_address] : [],
    );
    if (expired.length > 0) this.#deps.onExpired(expired, result);
    // Rows that cannot be parsed would be found again in an endless loop.
    return expired.length > 0 && due.length === groupSize;
  }
}
