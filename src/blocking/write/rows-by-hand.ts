// Rows that somebody inserted into the table by hand: made rows like any other before the table is read whole.
import type { AdoptedRows, BlockedIpsStore } from '../../store/blocked-ips-store.ts';
import type { Log } from '../../telemetry/log.ts';

/** Rows looked at in one turn; a row costs some 30 µs. */
const adoptPage = 500;
const listedUnusable = 20;

export class RowsByHand {
  readonly #store: BlockedIpsStore;
  readonly #log: Log;
  readonly #now: () => Date;

  constructor(options: { readonly store: BlockedIpsStore; readonly log: Log; readonly now: () => Date }) {
    this.#store = options.store;
    this.#log = options.log;
    this.#now = options.now;
  }

  async any(): Promise<boolean> {
    return await this.#store.hasUnkeyedRows();
  }

  /** @param turn in which each piece of it is done, or whose work it is a part of */
  async adopt(turn: <T>(work: () => Promise<T>) => Promise<T>): Promise<void> {
    if (!(await this.any())) return;
    let adopted = 0;
    let unusableTotal = 0;
    const unusable: { ip_address: string; why: string }[] = [];
    let after: string | null = null;
    do {
      const from: string | null = after;
      const piece: AdoptedRows = await turn(() => this.#store.adoptUnkeyedRows(from, adoptPage, this.#now()));
      adopted += piece.adopted;
      unusableTotal += piece.unusable.length;
      unusable.push(...piece.unusable.slice(0, listedUnusable - unusable.length));
      after = piece.last;
    } while (after !== null);
    if (adopted > 0) this.#log.info('Rows inserted into the database by hand were taken up', { count: adopted });
    if (unusableTotal > 0) {
      this.#log.warn('Rows in the database that are no addresses are not enforced; correct or delete them', {
        count: unusableTotal,
        rows: unusable,
      });
    }
  }
}
