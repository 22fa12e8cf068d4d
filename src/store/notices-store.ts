import type { Insertable, Selectable } from 'kysely';
import type { NoticesTable } from './notices-schema.ts';
import type { Database } from './open-database.ts';

export type NoticeRow = Readonly<Selectable<NoticesTable>>;
export type NewNotice = Readonly<Omit<Insertable<NoticesTable>, 'id' | 'at' | 'ended_at'>>;

/** `open`: a notice, or another wording of the open one of its subject. `end`: of all open ones of the subject. */
export type NoticeStep =
  | { readonly kind: 'open'; readonly at: Date; readonly notice: NewNotice; readonly repeats: boolean }
  | { readonly kind: 'end'; readonly at: Date; readonly subject: string };

export function subjectOf(step: NoticeStep): string {
  return step.kind === 'end' ? step.subject : step.notice.subject;
}

const most = 1_000;
const dayMs = 86_400_000;

/** Other words of a notice that was read are not seen: what is worse, or repeats after a day, is another notice. */
function isAnother(
  { notice, repeats, at }: NoticeStep & { kind: 'open' },
  open: Pick<NoticeRow, 'level' | 'at'>,
): boolean {
  if (notice.level === 'failure' && open.level === 'attention') return true;
  return repeats && at.getTime() - Date.parse(open.at) >= dayMs;
}

/** The tables `notices` and `notice_reads`, each with at most 1,000 rows and those of sites that are down. Failures are `StoreError`s. */
export class NoticesStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** One transaction, in the order of the steps. The oldest notices beyond the limit are deleted. */
  async apply(steps: readonly NoticeStep[]): Promise<void> {
    await this.#database.write.transaction().execute(async (transaction) => {
      for (const step of steps) {
        const at = step.at.toISOString();
        if (step.kind === 'end') {
          await transaction
            .updateTable('notices')
            .set({ ended_at: at })
            .where('subject', '=', step.subject)
            .where('ended_at', 'is', null)
            .execute();
          continue;
        }
        const { notice } = step;
        const open = await transaction
          .selectFrom('notices')
          .select(['id', 'level', 'at'])
          .where('subject', '=', notice.subject)
          .where('ended_at', 'is', null)
          .orderBy('id', 'desc')
          .executeTakeFirst();
        if (open === undefined || isAnother(step, open)) {
          await transaction
            .insertInto('notices')
            .values({ ...notice, at, ended_at: null })
            .execute();
        } else await transaction.updateTable('notices').set(notice).where('id', '=', open.id).execute();
      }
      const oldest = await transaction
        .selectFrom('notices')
        .select('id')
        .orderBy('id', 'desc')
        .offset(most)
        .limit(1)
        .executeTakeFirst();
      if (oldest === undefined) return;
      // A start reads from them which sites were down; there are at most as many as sites.
      await transaction
        .deleteFrom('notices')
        .where('id', '<=', oldest.id)
        .where((where) => where.or([where('type', '!=', 'site.down'), where('ended_at', 'is not', null)]))
        .execute();
    });
  }

  /** Newest first. */
  async list(limit: number): Promise<NoticeRow[]> {
    return await this.#database.read.selectFrom('notices').selectAll().orderBy('id', 'desc').limit(limit).execute();
  }

  /** Of the notices of this type that have not ended, each once. */
  async openSubjects(type: string): Promise<string[]> {
    const query = this.#database.read.selectFrom('notices').select('subject').distinct().where('type', '=', type);
    return (await query.where('ended_at', 'is', null).execute()).map(({ subject }) => subject);
  }

  /** Id of the newest; 0: none. */
  async newest(): Promise<number> {
    const [row] = await this.list(1);
    return row?.id ?? 0;
  }

  /** How many are newer than `upTo`. */
  async countAfter(upTo: number): Promise<number> {
    const { count } = await this.#database.read
      .selectFrom('notices')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('id', '>', upTo)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Id of the last notice that the key has read; 0: none. */
  async readUpTo(keyName: string): Promise<number> {
    const query = this.#database.read.selectFrom('notice_reads').select('up_to').where('key_name', '=', keyName);
    return (await query.executeTakeFirst())?.up_to ?? 0;
  }

  /** Never goes back. Of more than 1,000 keys, those that read longest ago are forgotten. */
  async read(keyName: string, upTo: number, now: Date): Promise<void> {
    const at = now.toISOString();
    await this.#database.write.transaction().execute(async (transaction) => {
      const row = { key_name: keyName, up_to: upTo, at };
      await transaction
        .insertInto('notice_reads')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('key_name').doUpdateSet(({ fn, ref }) => ({
            up_to: fn<number>('max', [ref('notice_reads.up_to'), ref('excluded.up_to')]),
            at,
          })),
        )
        .execute();
      const kept = transaction
        .selectFrom('notice_reads')
        .select('key_name')
        .orderBy('at', 'desc')
        .orderBy('key_name')
        .limit(most);
      await transaction.deleteFrom('notice_reads').where('key_name', 'not in', kept).execute();
    });
  }
}
