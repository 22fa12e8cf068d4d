import { type Selectable, sql, type Transaction } from 'kysely';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { Database } from './open-database.ts';
import type { Schema, WebhooksTable } from './schema.ts';

export interface WebhookRow extends Readonly<Omit<Selectable<WebhooksTable>, 'types_json' | 'enabled' | 'batch_end'>> {
  /** Null: all. */
  readonly types: readonly string[] | null;
  readonly enabled: boolean;
  /** Of the last event of the delivery in progress; null: none. */
  readonly batchEnd: number | null;
}

export type WebhookSettings = Pick<WebhookRow, 'id' | 'url' | 'types' | 'secret' | 'enabled'>;

interface WebhookEvent {
  readonly seq: number;
  readonly type: string;
  readonly json: string;
}

export interface WebhookBatch {
  /** The webhook's own, of those up to `end`. */
  readonly events: readonly WebhookEvent[];
  /** Of the last event examined; the webhook's position if there was none. */
  readonly end: number;
  /** Lost events after its position. */
  readonly dropped: number;
}

/** What waits for one enabled webhook. */
export interface WebhookBacklog {
  readonly id: string;
  /** Events to deliver, the delivery in progress included. */
  readonly pending: number;
  /** Lost events not yet reported to it. */
  readonly missed: number;
  /** Time of the oldest undelivered event, ISO 8601. */
  readonly oldestAt: string | null;
}

/** Waiting events of all webhooks together, some 5 MB. The oldest beyond it are dropped. */
const MOST_WEBHOOK_EVENTS = 10_000;
const DELETED_AT_ONCE = 1_000;
const ROWS_PER_SLICE = 2_000;

export class WebhooksStore {
  readonly #database: Database;
  readonly #audit: AuditRows;
  readonly #most: number;

  constructor(database: Database, most: number = MOST_WEBHOOK_EVENTS) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
    this.#most = most;
  }

  async list(): Promise<WebhookRow[]> {
    const rows = await this.#database.read.selectFrom('webhooks').selectAll().orderBy('id').execute();
    return rows.map(toHook);
  }

  async get(id: string): Promise<WebhookRow | null> {
    const row = await this.#database.read.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toHook(row);
  }

  /**
   * Creates or replaces. A new, re-enabled or redirected webhook gets the events from now on, and its failures are
   * forgotten. Null: there would be more than `most`.
   */
  async put(
    hook: WebhookSettings,
    most: number,
    now: Date,
    audited?: AuditedChange,
  ): Promise<{ created: boolean; row: WebhookRow } | null> {
    const at = now.toISOString();
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const rows = await transaction.selectFrom('webhooks').selectAll().execute();
      const old = rows.find(({ id }) => id === hook.id);
      if (old === undefined && rows.length >= most) return null;
      const begins = old === undefined || (hook.enabled && old.enabled === 0) || old.url !== hook.url;
      const fresh = {
        position: begins ? await lastSeq(transaction) : old.position,
        batch_end: null,
        missed: begins ? 0 : old.missed,
        attempts: 0,
        first_failed_at: null,
        next_attempt_at: null,
      };
      const settings = {
        url: hook.url,
        types_json: hook.types === null ? null : JSON.stringify(hook.types),
        secret: hook.secret,
        enabled: Number(hook.enabled),
        updated_at: at,
        ...fresh,
      };
      const row = await transaction
        .insertInto('webhooks')
        .values({
          id: hook.id,
          created_at: at,
          last_success_at: null,
          last_error: null,
          last_error_at: null,
          ...settings,
        })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(settings))
        .returningAll()
        .executeTakeFirstOrThrow();
      return { created: old === undefined, row: toHook(row) };
    });
  }

  async remove(id: string, now: Date, audited?: AuditedChange): Promise<WebhookRow | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const row = await transaction.deleteFrom('webhooks').where('id', '=', id).returningAll().executeTakeFirst();
      return row === undefined ? null : toHook(row);
    });
  }

  /**
   * One transaction. Drops the oldest beyond the limit, which `batch` reports to each webhook.
   * @param lost earlier events that were never stored; every enabled webhook misses them
   */
  async append(events: readonly { readonly type: string; readonly json: string }[], lost = 0): Promise<void> {
    if (events.length === 0) return;
    await this.#database.write.transaction().execute(async (transaction) => {
      for (let from = 0; from < events.length; from += 100) {
        const values = events.slice(from, from + 100).map(({ type, json }) => ({ type, event_json: json }));
        await transaction.insertInto('webhook_events').values(values).execute();
      }
      await sql`
        delete from webhook_events
        where seq <= (select max(seq) from webhook_events) - ${this.#most}`.execute(transaction);
      if (lost === 0) return;
      await transaction
        .updateTable('webhooks')
        .set((eb) => ({ missed: eb('missed', '+', lost) }))
        .where('enabled', '=', 1)
        .execute();
    });
  }

  /** Deletes what no enabled webhook waits for any more, in slices. */
  async forgetDelivered(): Promise<void> {
    const { place } = (await this.#database.read
      .selectFrom('webhooks')
      .select((eb) => eb.fn.min<number | null>('position').as('place'))
      .where('enabled', '=', 1)
      .executeTakeFirst()) ?? { place: null };
    const upTo = place ?? Number.MAX_SAFE_INTEGER;
    await sql`
      delete from webhook_events where seq in (
        select seq from webhook_events where seq <= ${upTo} order by seq limit ${DELETED_AT_ONCE}
      )`.execute(this.#database.write);
  }

  /** The delivery in progress, or up to `limit` events of the webhook's types. */
  async batch(hook: WebhookRow, limit: number): Promise<WebhookBatch> {
    const dropped = await this.#dropped(hook);
    const from = hook.position + dropped;
    const begun = hook.batchEnd !== null && hook.batchEnd > from ? hook.batchEnd : null;
    const rows = await this.#database.read
      .selectFrom('webhook_events')
      .selectAll()
      .where('seq', '>', from)
      .$if(begun !== null, (query) => query.where('seq', '<=', begun!))
      .orderBy('seq')
      .limit(ROWS_PER_SLICE)
      .execute();
    const events: WebhookEvent[] = [];
    let end = from;
    for (const { seq, type, event_json } of rows) {
      if (events.length >= limit) break;
      end = seq;
      if (wants(hook, type)) events.push({ seq, type, json: event_json });
    }
    return { events, end, dropped };
  }

  /** `pending`: how many events wait for it; `missed`: how many are lost and not yet reported. */
  async undelivered(hook: WebhookRow): Promise<{ pending: number; missed: number }> {
    const { pending, missed } = await this.#waiting(hook);
    return { pending, missed };
  }

  async backlog(hook: WebhookRow): Promise<WebhookBacklog> {
    const { pending, missed, oldest } = await this.#waiting(hook);
    return { id: hook.id, pending, missed, oldestAt: oldest === null ? null : await this.#emittedAt(oldest) };
  }

  async #waiting(hook: WebhookRow): Promise<{ pending: number; missed: number; oldest: number | null }> {
    // Nothing is stored for it, so it loses nothing.
    if (!hook.enabled) return { pending: 0, missed: 0, oldest: null };
    const rows = await this.#database.read
      .selectFrom('webhook_events')
      .select((eb) => ['type', eb.fn.countAll<number>().as('total'), eb.fn.min<number>('seq').as('oldest')])
      .where('seq', '>', hook.position)
      .groupBy('type')
      .execute();
    const own = rows.filter(({ type }) => wants(hook, type));
    const pending = own.reduce((sum, { total }) => sum + total, 0);
    const oldest = own.length === 0 ? null : Math.min(...own.map((row) => row.oldest));
    return { pending, missed: hook.missed + (await this.#dropped(hook)), oldest };
  }

  /** Null: it was delivered meanwhile. */
  async #emittedAt(seq: number): Promise<string | null> {
    const row = await this.#database.read
      .selectFrom('webhook_events')
      .select('event_json')
      .where('seq', '=', seq)
      .executeTakeFirst();
    return row === undefined ? null : (JSON.parse(row.event_json) as { readonly at: string }).at;
  }

  /** Lost events after its position. */
  async #dropped({ position }: WebhookRow): Promise<number> {
    const oldest = await this.#database.read
      .selectFrom('webhook_events')
      .select((eb) => eb.fn.min<number | null>('seq').as('seq'))
      .executeTakeFirst();
    return Math.max(0, (oldest?.seq ?? 0) - 1 - position);
  }

  /**
   * Records the progress of deliveries. Does nothing if the webhook was removed or changed since it was read.
   * @param missed further lost events to report; negative: as many were reported
   */
  async update(
    hook: WebhookRow,
    change: Partial<Omit<Selectable<WebhooksTable>, 'id' | 'url' | 'secret' | 'updated_at' | 'missed'>>,
    missed = 0,
  ): Promise<void> {
    await this.#database.write
      .updateTable('webhooks')
      .set((eb) => ({ ...change, missed: eb('missed', '+', missed) }))
      .where('id', '=', hook.id)
      .where('updated_at', '=', hook.updated_at)
      .execute();
  }
}

/** Of the newest event ever; delivered ones are deleted. */
async function lastSeq(transaction: Transaction<Schema>): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select seq from sqlite_sequence where name = 'webhook_events'`.execute(transaction);
  return rows[0]?.seq ?? 0;
}

function wants(hook: WebhookRow, type: string): boolean {
  return hook.types === null || hook.types.includes(type);
}

function toHook({ types_json, enabled, batch_end, ...row }: Selectable<WebhooksTable>): WebhookRow {
  return {
    ...row,
    types: types_json === null ? null : (JSON.parse(types_json) as string[]),
    enabled: enabled === 1,
    batchEnd: batch_end,
  };
}
