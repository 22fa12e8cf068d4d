// HAProxy may remember an address for longer than the service, which forgets addresses in a slightly different order.
// What it counts on from is then not 0.

import { addressHash } from '../domain/address-shard.ts';
import type { IpWords } from '../domain/ip.ts';

const slots = 2 ** 17;
const mostValue = 2 ** 32 - 1;
/** How long after a request HAProxy lists its address as active: by a rate over a minute. */
export const listedSeconds = 150;

/** An address that is read, and that the service does not remember. */
interface Found {
  readonly address: IpWords;
  /** Of HAProxy. */
  readonly value: number;
  /** Requests of the last minute, by HAProxy's estimate: at most those of the last two minutes. */
  readonly lately: number;
  /** In seconds. */
  readonly at: number;
}

/** The last values of addresses that were forgotten, in 1.5 MB; of two with the same slot the last one. */
export class ForgottenCounters {
  readonly #tags = new Uint32Array(slots);
  readonly #values = new Uint32Array(slots);
  readonly #lastHits = new Uint32Array(slots);

  /** @param lastHit in seconds */
  note(address: IpWords, value: number, lastHit: number): void {
    const { slot, tag } = hashed(address);
    const fits = value <= mostValue;
    this.#tags[slot] = fits ? tag : 0;
    this.#values[slot] = fits ? value : 0;
    this.#lastHits[slot] = lastHit;
  }

  /** HAProxy was started again: it has forgotten all of them. */
  clear(): void {
    for (const column of [this.#tags, this.#values, this.#lastHits]) column.fill(0);
  }

  /** The value from which HAProxy has counted on since the address was forgotten; 0 if it has begun again. */
  startOf({ address, value, lately, at }: Found): number {
    const { slot, tag } = hashed(address);
    if (this.#tags[slot] !== tag) return 0;
    const before = this.#values[slot]!;
    if (value < before) return 0;
    // It may be listed for its requests of before.
    if (at - this.#lastHits[slot]! <= listedSeconds) return before;
    // Else all requests that the estimate may contain are new: if they are more than the difference, the counter began again.
    return value === before || lately > value - before ? 0 : before;
  }
}

/** Two hashes: a slot, and another number by which to recognise the address; never 0. */
function hashed(address: IpWords): { readonly slot: number; readonly tag: number } {
  const of = (seed: number): number => addressHash(seed, 4, address, 0, 128);
  return { slot: of(0x811c9dc5) & (slots - 1), tag: (of(0x9747b28c) | 1) >>> 0 };
}
