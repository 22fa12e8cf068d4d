/**
 * How many addresses are blocked, without counting: SQLite counts a million rows in 20 to 50 ms, and every page of
 * the list and every health check asks. Counted once when the database is opened, then moved with every commit;
 * right because one service owns the database (it holds a lock beside the map file), and set right by every rewrite
 * of the map file, should somebody have edited the table all the same.
 */
export class BlockedCount {
  #value: number;

  constructor(counted: number) {
    this.#value = counted;
  }

  get value(): number {
    return this.#value;
  }

  /** The table was read whole, and nothing was committed since. */
  counted(value: number): void {
    this.#value = value;
  }

  /** To be called after the commit, never before it. */
  committed(net: { readonly added: readonly string[]; readonly removed: readonly string[] }): void {
    this.#value += net.added.length - net.removed.length;
  }
}
