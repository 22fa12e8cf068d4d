// The expected state of each address, as far as clients can know it. Each has one owner with at most one change under
// way; a `PUT` sets all. Of two that overlap either may come last: the state is unknown until a later change.

export type Presence = 'blocked' | 'free' | 'either';

interface Put {
  readonly list: ReadonlySet<string>;
  /** Addresses changed by others while it was under way. */
  readonly touched: Set<string>;
}

interface OpenChange {
  readonly overlapped: Set<Put>;
}

export class BlockedModel {
  readonly #presence = new Map<string, Presence>();
  readonly #open = new Map<string, OpenChange>();
  readonly #puts = new Set<Put>();

  /** @param addresses not blocked yet */
  constructor(addresses: Iterable<string>) {
    for (const address of addresses) this.#presence.set(address, 'free');
  }

  of(address: string): Presence {
    const presence = this.#stored(address);
    if (this.#open.has(address)) return 'either';
    for (const put of this.#puts) if (say(put, address) !== presence) return 'either';
    return presence;
  }

  addresses(): Iterable<string> {
    return this.#presence.keys();
  }

  /**
   * Call when it is sent, and the returned function with the acknowledged state, or `either` if unknown.
   * @throws Error if one is under way for the address
   */
  begin(address: string): (outcome: Presence) => void {
    this.#stored(address);
    if (this.#open.has(address)) throw new Error(`${address} is being changed already`);
    const change: OpenChange = { overlapped: new Set(this.#puts) };
    this.#open.set(address, change);
    for (const put of this.#puts) put.touched.add(address);
    return (outcome) => {
      this.#open.delete(address);
      const agreed = [...change.overlapped].every((put) => say(put, address) === outcome);
      this.#presence.set(address, agreed ? outcome : 'either');
    };
  }

  /** The same for a complete list. */
  beginPut(list: ReadonlySet<string>): (outcome: 'done' | 'unknown') => void {
    const put: Put = { list, touched: new Set(this.#open.keys()) };
    for (const change of this.#open.values()) change.overlapped.add(put);
    this.#puts.add(put);
    return (outcome) => {
      this.#puts.delete(put);
      for (const [address, presence] of this.#presence) {
        // One under way sets it when it ends.
        if (this.#open.has(address)) continue;
        const said = outcome === 'done' ? say(put, address) : 'either';
        if (!put.touched.has(address)) this.#presence.set(address, said);
        else if (presence !== said) this.#presence.set(address, 'either');
      }
    };
  }

  #stored(address: string): Presence {
    const presence = this.#presence.get(address);
    if (presence === undefined) throw new Error(`${address} belongs to no client`);
    return presence;
  }
}

function say(put: Put, address: string): Presence {
  return put.list.has(address) ? 'blocked' : 'free';
}
