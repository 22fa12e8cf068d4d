import type { Kysely } from 'kysely';
import { sortKey } from '../domain/ip.ts';
import type { BlockedChange } from './blocked-changes.ts';
import { ClaimRows } from './claim-rows.ts';
import { type Lists, MANUAL } from './claims.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';

interface ActiveBulk {
  readonly id: number;
  readonly replace: number;
  readonly source: number | null;
}

/** Which of its staged rows skip the address. */
type Skip = 'all' | 'removals' | null;

/**
 * A bulk change counts as made when its body was complete; its slices are applied later. A change of the same claims in
 * between was acknowledged after it and wins: the address is marked, and the slices skip it. A change of another
 * source's claims marks nothing, because both count. An expiry marks nothing, because the bulk change is newer. A bulk
 * change that selects claims reads them while others change them, so changes count as later from its beginning on.
 */
export class BulkSkips {
  readonly #claims: ClaimRows;
  readonly #active: PreparedQuery<ActiveBulk>;
  readonly #mark: PreparedQuery<unknown>;

  constructor(db: Kysely<Schema>) {
    this.#claims = new ClaimRows(db);
    this.#active = new PreparedQuery(
      db
        .selectFrom('bulk_changes')
        .select(['id', 'replace', 'source'])
        // One that selects claims is made of what it finds from its beginning on.
        .where((where) =>
          where.or([
            where('state', 'in', ['adding', 'removing']),
            where.and([where('state', '=', 'receiving'), where('filter_json', 'is not', null)]),
          ]),
        )
        .compile(),
    );
    this.#mark = new PreparedQuery(
      db
        .insertInto('bulk_skips')
        .values({ bulk: 0, sort_key: Buffer.alloc(0), ip_address: '', removals_only: 0 })
        .onConflict((conflict) =>
          conflict.columns(['bulk', 'sort_key']).doUpdateSet((set) => ({
            removals_only: set.fn<number>('min', ['bulk_skips.removals_only', 'excluded.removals_only']),
          })),
        )
        .compile(),
    );
  }

  /** Call within the transaction that makes `changes`. */
  async mark(runner: Runner, changes: readonly BlockedChange[]): Promise<void> {
    if (changes.every(({ op }) => op === 'expire')) return;
    const active = await this.#active.all(runner, ['adding', 'removing', 'receiving']);
    if (active.length === 0) return;
    const lists = await this.#claims.lists(runner);
    for (const bulk of active) {
      for (const change of changes) {
        const skip = skipOf(bulk, change, lists);
        if (skip === null) continue;
        const { entry } = change;
        await this.#mark.write(runner, [bulk.id, sortKey(entry), entry.text, skip === 'all' ? 0 : 1]);
      }
    }
  }
}

function skipOf({ source, replace }: ActiveBulk, change: BlockedChange, lists: Lists): Skip {
  if (change.op === 'expire') return null;
  const own = source ?? MANUAL;
  // Without a source a removal drops the claims of `manual` and of agents.
  const touchesOwn =
    change.op === 'remove' && change.source === undefined ? !lists.has(own) : changedBy(change) === own;
  if (touchesOwn) return 'all';
  const dropsAgents = source === null && replace === 0;
  return dropsAgents && !lists.has(changedBy(change)) ? 'removals' : null;
}

function changedBy(change: Exclude<BlockedChange, { op: 'expire' }>): number {
  return change.source ?? MANUAL;
}
