import { type Kysely, sql } from 'kysely';
import { keyOfText, keyText } from '../key-text.ts';
import type { Schema } from '../schema.ts';

/** Beyond it reading everything again is cheaper. */
const MOST_KEYS = 10_000;

/**
 * The sort keys whose rows or claims were written since they were last taken, whatever wrote them. Temporary triggers of
 * the connection that writes note them in a temporary table: neither is in the database, and while nothing records, writes
 * cost nothing. What a transaction that is rolled back notes is rolled back too.
 */
export class ChangedKeys {
  readonly #write: Kysely<Schema>;

  /** @param write the connection of all commits of this process */
  constructor(write: Kysely<Schema>) {
    this.#write = write;
  }

  /** From now on every commit is noted. Forgets what was noted before. */
  async start(): Promise<void> {
    await sql`create temp table if not exists changed_keys (place integer primary key, sort_key blob)`.execute(
      this.#write,
    );
    for (const { name, when, keys } of triggers) {
      await sql`create temp trigger if not exists ${sql.ref(name)} after ${sql.raw(when)} begin
        ${sql.join(
          keys.map(
            (key) => sql`insert into changed_keys (sort_key) select ${sql.ref(key)} where ${sql.ref(key)} is not null
              and coalesce((select max(place) from changed_keys), 0) <= ${sql.lit(MOST_KEYS)}`,
          ),
          sql`; `,
        )};
      end`.execute(this.#write);
    }
    await sql`delete from changed_keys`.execute(this.#write);
  }

  async stop(): Promise<void> {
    for (const { name } of triggers) await sql`drop trigger if exists temp.${sql.ref(name)}`.execute(this.#write);
    await sql`drop table if exists temp.changed_keys`.execute(this.#write);
  }

  /** The different keys, whose rows another connection sees as committed. Null: too many. */
  async take(): Promise<Buffer[] | null> {
    const { rows } = await sql<{ key: string }>`
      delete from changed_keys returning ${keyText('sort_key')} as key`.execute(this.#write);
    if (rows.length > MOST_KEYS) return null;
    return [...new Set(rows.map(({ key }) => key))].map(keyOfText);
  }
}

const triggers = ['blocked_ips', 'claims'].flatMap((table) => [
  { name: `${table}_inserted`, when: `insert on main.${table}`, keys: ['new.sort_key'] },
  { name: `${table}_deleted`, when: `delete on main.${table}`, keys: ['old.sort_key'] },
  { name: `${table}_updated`, when: `update on main.${table}`, keys: ['old.sort_key', 'new.sort_key'] },
]);
