import type { Kysely } from 'kysely';
import { type IpEntry, sortKey } from '../domain/ip.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';

/**
 * A big change counts as made at the moment at which it was complete; its slices come later. Whoever changes one of
 * its addresses in between was acknowledged after it and keeps the last word: that address is marked, and the slices
 * pass it by. An expiry marks nothing, for it says nothing that the big change does not know better.
 */
export class LastWord {
  readonly #active: PreparedQuery<{ id: number }>;
  readonly #mark: PreparedQuery<unknown>;

  constructor(db: Kysely<Schema>) {
    this.#active = new PreparedQuery(
      db.selectFrom('bulk_changes').select('id').where('state', 'in', ['adding', 'removing']).compile(),
    );
    this.#mark = new PreparedQuery(
      db
        .insertInto('bulk_skips')
        .values({ bulk: 0, sort_key: Buffer.alloc(0), ip_address: '' })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    );
  }

  /** Within the transaction that changes `entries`. */
  async of(runner: Runner, entries: readonly IpEntry[]): Promise<void> {
    if (entries.length === 0) return;
    for (const { id } of await this.#active.all(runner, ['adding', 'removing'])) {
      for (const entry of entries) await this.#mark.write(runner, [id, sortKey(entry), entry.text]);
    }
  }
}
