// The expected blocked addresses, as far as the clients can know them. Each address has one owner, who has at most one change of
// it under way; a `PUT` of the complete list sets every address. Of two that overlap either may come last, so where
// they want different things the right state is unknown until a later operation changes it.

export type Presence = 'blocked' | 'free' | 'either';

interface Put {
  readonly list: ReadonlySet<string>;
  /** Addresses that other operations changed while it was under way. */
  readonly touched: Set<string>;
}

interface OpenChange {
  readonly overlapped: Set<Put>;
}

export class BlockedModel {
  readonly #presence = new Map<string, Presence>();
  readonly #open = new Map<string, OpenChange>();
  readonly #puts = new Set<Put>();

  /** Addresses that no client has blocked yet. */
  constructor(addresses: Iterable<string>) {
    for (const address of addresses) this.#presence.set(address, 'free');
  }

  /** What a look at it shows right now. */
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
   * To be called when it is sent; the returned function when it was acknowledged (with what is then the case), or with
   * `either` when its outcome is not known.
   * @throws Error when one is under way for the address already
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

  /** The same for the complete list. */
  beginPut(list: ReadonlySet<string>): (outcome: 'done' | 'unknown') => void {
    const put: Put = { list, touched: new Set(this.#open.keys()) };
    for (const change of this.#open.values()) change.overlapped.add(put);
    this.#puts.add(put);
    return (outcome) => {
      this.#puts.delete(put);
      for (const [address, presence] of this.#presence) {
        // One that is still under way says the same when it ends.
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
