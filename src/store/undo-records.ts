import { type Kysely, sql, type Transaction } from 'kysely';
import type { ClaimStep, Said } from './claim-steps.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';

/** What is kept of changes of several addresses, so that they can be undone. The oldest goes first. */
export const UNDO_KEPT = { days: 30, changes: 1_000, claims: 1_000_000, claimsOfOne: 200_000 } as const;

/** Deleted at a time; a block is what a slice did. */
const AT_ONCE = 64;

/** Packed: most claims of a list say the same. */
interface Block {
  readonly said: readonly (readonly [string | null, string | null, string, string | null])[];
  /** Address, source, and which of `said` it said before and after; -1: there was no claim. */
  readonly steps: readonly (readonly [string, number, number, number])[];
}

/** The tables `undo_changes` and `undo_blocks`; `AuditTable.id` names the change. */
export class UndoRecords {
  readonly #db: Kysely<Schema>;
  readonly #begin: PreparedQuery<unknown>;
  readonly #insert: PreparedQuery<unknown>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
    const begun = { audit_id: 0, created_at: '', claims: 0, complete: 1 };
    this.#begin = new PreparedQuery(
      db
        .insertInto('undo_changes')
        .values(begun)
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    );
    this.#insert = new PreparedQuery(
      db.insertInto('undo_blocks').values({ audit_id: 0, block: 0, steps_json: '' }).compile(),
    );
  }

  /** Within the transaction of the change. */
  async begin(runner: Runner, auditId: number, now: string): Promise<void> {
    await this.#begin.write(runner, [auditId, now, 0, 1]);
  }

  /** Whether more of the change is to be recorded: not once it is too large. */
  async isOpen(transaction: Transaction<Schema>, auditId: number): Promise<boolean> {
    const row = await transaction
      .selectFrom('undo_changes')
      .select('complete')
      .where('audit_id', '=', auditId)
      .executeTakeFirst();
    return row?.complete === 1;
  }

  /** Within the transaction of the change, which has begun its record. */
  async add(db: Kysely<Schema>, auditId: number, steps: readonly ClaimStep[]): Promise<void> {
    if (steps.length === 0) return;
    const { claims, blocks } = await db
      .updateTable('undo_changes')
      .set((eb) => ({
        claims: eb('claims', '+', steps.length),
        complete: sql<number>`claims + ${steps.length} <= ${UNDO_KEPT.claimsOfOne}`,
      }))
      .where('audit_id', '=', auditId)
      .returning([
        'claims',
        sql<number>`(select count(*) from undo_blocks where undo_blocks.audit_id = undo_changes.audit_id)`.as('blocks'),
      ])
      .executeTakeFirstOrThrow();
    if (claims > UNDO_KEPT.claimsOfOne) return;
    await db
      .insertInto('undo_blocks')
      .values({ audit_id: auditId, block: blocks, steps_json: JSON.stringify(packed(steps)) })
      .execute();
  }

  /** The same for one that is complete at once, as cheap as possible. */
  async addAll(runner: Runner, auditId: number, steps: readonly ClaimStep[], now: string): Promise<void> {
    await this.#begin.write(runner, [auditId, now, steps.length, 1]);
    if (steps.length > 0) await this.#insert.write(runner, [auditId, 0, JSON.stringify(packed(steps))]);
  }

  /** Null: it is not known, or no longer. */
  async find(auditId: number): Promise<{ readonly claims: number; readonly complete: boolean } | null> {
    const row = await this.#db
      .selectFrom('undo_changes')
      .select(['claims', 'complete'])
      .where('audit_id', '=', auditId)
      .executeTakeFirst();
    return row === undefined ? null : { claims: row.claims, complete: row.complete === 1 };
  }

  /** Whether slices of the change are still to be applied. */
  async isBeingApplied(auditId: number): Promise<boolean> {
    const row = await this.#db
      .selectFrom('bulk_changes')
      .select('id')
      .where('audit_id', '=', auditId)
      .where('state', 'in', ['adding', 'removing'])
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Block by block. */
  async *read(auditId: number): AsyncGenerator<readonly ClaimStep[]> {
    for (let block = 0; ; block++) {
      const row = await this.#db
        .selectFrom('undo_blocks')
        .select('steps_json')
        .where('audit_id', '=', auditId)
        .where('block', '=', block)
        .executeTakeFirst();
      if (row === undefined) return;
      yield unpacked(JSON.parse(row.steps_json) as Block);
    }
  }

  /** Deletes what is no longer kept, and what can never be used. At most a few blocks at a time. */
  async forget(write: Kysely<Schema>, now: Date): Promise<void> {
    const oldest = new Date(now.getTime() - UNDO_KEPT.days * 86_400_000).toISOString();
    const old = await sql<{ audit_id: number }>`
      select audit_id from (
        select audit_id, created_at, row_number() over newest as place,
          sum(iif(complete, claims, 0)) over newest as total
        from undo_changes window newest as (order by audit_id desc)
      ) where created_at < ${oldest} or place > ${UNDO_KEPT.changes} or total > ${UNDO_KEPT.claims}
    `.execute(this.#db);
    const ids = old.rows.map(({ audit_id }) => audit_id);
    // Before its blocks, so that no undo finds only a part of them.
    if (ids.length > 0) await write.deleteFrom('undo_changes').where('audit_id', 'in', ids.slice(0, AT_ONCE)).execute();
    const unused = await sql<{ audit_id: number; block: number }>`
      select audit_id, block from undo_blocks
      where audit_id not in (select audit_id from undo_changes where complete) limit ${AT_ONCE}`.execute(write);
    for (const { audit_id, block } of unused.rows) {
      await write.deleteFrom('undo_blocks').where('audit_id', '=', audit_id).where('block', '=', block).execute();
    }
  }
}

function packed(steps: readonly ClaimStep[]): Block {
  const places = new Map<string, number>();
  const list: Block['said'][number][] = [];
  const placeOf = (one: Said | null): number => {
    if (one === null) return -1;
    const entry = [one.reason, one.blocked_by, one.claimed_at, one.expires_at] as const;
    const text = JSON.stringify(entry);
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, list.length);
    return list.push(entry) - 1;
  };
  return {
    steps: steps.map(({ ip_address, source, before, after }) => [ip_address, source, placeOf(before), placeOf(after)]),
    said: list,
  };
}

function unpacked({ said, steps }: Block): ClaimStep[] {
  const at = (place: number): Said | null => {
    const one = said[place];
    if (one === undefined) return null;
    const [reason, blocked_by, claimed_at, expires_at] = one;
    return { reason, blocked_by, claimed_at, expires_at };
  };
  return steps.map(([ip_address, source, before, after]) => ({
    ip_address,
    source,
    before: at(before),
    after: at(after),
  }));
}
