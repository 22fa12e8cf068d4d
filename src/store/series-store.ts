import { sql } from 'kysely';
import type { Database } from './open-database.ts';
import { PreparedQuery } from './prepared-query.ts';
import { RowsWriter } from './row-blocks.ts';

/** Numbers are stored: never changed, never used again. */
export const metrics = { denied: 1, requests: 2, not_attributed: 3, addresses: 4, entries: 5 } as const;
export type Metric = keyof typeof metrics;
/** Added to the number of a metric for the points of its labels: those of one moment are on one page, and the sums on few. */
const ofLabels = 100;
export type LabelKind = 'site' | 'source';

/** How a step's value follows from the values in it. */
const kinds: Readonly<Record<Metric, 'sum' | 'most' | 'last'>> = {
  denied: 'sum',
  requests: 'sum',
  not_attributed: 'sum',
  addresses: 'most',
  entries: 'last',
};

/** Seconds, and how long such points are kept. */
export const steps = [
  { seconds: 60, keepSeconds: 48 * 3_600 },
  { seconds: 600, keepSeconds: 30 * 86_400 },
  { seconds: 7_200, keepSeconds: 400 * 86_400 },
] as const;
export type Step = (typeof steps)[number]['seconds'];

/** Values of a step by metric and label; of `addresses` each step has its own. */
export interface Point {
  readonly metric: Metric;
  /** Of `label`; 0: the sum. */
  readonly label: number;
  readonly step: Step;
  /** The step's start, in seconds since 1970. */
  readonly at: number;
  readonly value: number;
}

/** Of each kind; further names share `others`. */
const mostLabels = 50;
export const others = '(others)';
/** Rows that one transaction may write or delete: about 20 ms. */
export const pointsAtOnce = 2_000;
/** States and points that are stored together. */
export interface SeriesSlice {
  readonly points: readonly Point[];
  readonly states: Readonly<Record<string, unknown>>;
}

/** Points over time, and small states by name. Failures are `StoreError`s. */
export class SeriesStore {
  readonly #database: Database;
  readonly #put: Readonly<Record<'sum' | 'most' | 'last', RowsWriter>>;
  readonly #old: PreparedQuery<{ at: number }>;
  readonly #deleteUpTo: PreparedQuery<unknown>;
  /** By kind and name. */
  #labels: Record<LabelKind, Map<string, number>> | null = null;

  constructor(database: Database) {
    this.#database = database;
    const value = {
      sum: 'series.value + excluded.value',
      most: 'max(series.value, excluded.value)',
      last: 'excluded.value',
    };
    const put = (how: keyof typeof value) =>
      new RowsWriter((count) =>
        database.write
          .insertInto('series')
          .values(new Array(count).fill({ metric: 0, label: 0, step: 0, at: 0, value: 0 }))
          .onConflict((conflict) =>
            conflict.columns(['metric', 'step', 'at', 'label']).doUpdateSet({ value: sql.raw(value[how]) }),
          )
          .compile(),
      );
    this.#put = { sum: put('sum'), most: put('most'), last: put('last') };
    const { write } = database;
    const old = write.selectFrom('series').select('at').where('metric', '=', 0).where('step', '=', 0);
    this.#old = new PreparedQuery(old.where('at', '<', 0).orderBy('at').limit(0).compile());
    const gone = write.deleteFrom('series').where('metric', '=', 0).where('step', '=', 0);
    this.#deleteUpTo = new PreparedQuery(gone.where('at', '<=', 0).compile());
  }

  /** The number of a label, which is created if it is one of the first of its kind. */
  async label(kind: LabelKind, name: string): Promise<number> {
    const labels = (await this.#knownLabels())[kind];
    const stored = labels.has(name) || labels.size < mostLabels ? name : others;
    const known = labels.get(stored);
    if (known !== undefined) return known;
    const insert = this.#database.write.insertInto('series_labels').values({ kind, name: stored });
    const { id } = await insert.returning('id').executeTakeFirstOrThrow();
    labels.set(stored, id);
    return id;
  }

  /** Name by number. */
  async labels(kind: LabelKind): Promise<Map<number, string>> {
    const rows = await this.#database.read
      .selectFrom('series_labels')
      .select(['id', 'name'])
      .where('kind', '=', kind)
      .execute();
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** One transaction: adds the points to what is stored of their steps, and replaces the states. */
  async write({ points, states }: SeriesSlice): Promise<void> {
    await this.#database.write.transaction().execute(async (transaction) => {
      for (const [kind, own] of Map.groupBy(points, ({ metric }) => kinds[metric])) {
        await this.#put[kind].write(
          transaction,
          own.map(({ metric, label, step, at, value }) => [numberOf(metric, label), label, step, at, value]),
        );
      }
      for (const [name, state] of Object.entries(states)) {
        await transaction
          .replaceInto('insight_state')
          .values({ name, value_json: JSON.stringify(state) })
          .execute();
      }
    });
  }

  /** Points of one metric and step with `from <= at < to`, oldest first. */
  async points(request: {
    readonly metric: Metric;
    readonly labels: readonly number[];
    readonly step: Step;
    readonly from: number;
    readonly to: number;
  }): Promise<readonly { label: number; at: number; value: number }[]> {
    if (request.labels.length === 0) return [];
    return await this.#database.read
      .selectFrom('series')
      .select(['label', 'at', 'value'])
      .where('metric', 'in', [...new Set(request.labels.map((label) => numberOf(request.metric, label)))])
      .where('label', 'in', request.labels)
      .where('step', '=', request.step)
      .where('at', '>=', request.from)
      .where('at', '<', request.to)
      .orderBy('at')
      .execute();
  }

  /** As stored; undefined: never. */
  async state(name: string): Promise<unknown> {
    const row = await this.#database.read
      .selectFrom('insight_state')
      .select('value_json')
      .where('name', '=', name)
      .executeTakeFirst();
    return row === undefined ? undefined : JSON.parse(row.value_json);
  }

  /** Deletes about 2,000 points that are older than they are kept. Returns whether more are left. */
  async prune(now: number): Promise<boolean> {
    let left = pointsAtOnce;
    await this.#database.write.transaction().execute(async (transaction) => {
      for (const number of Object.values(metrics).flatMap((metric) => [metric, metric + ofLabels])) {
        for (const { seconds, keepSeconds } of steps) {
          if (left <= 0) return;
          const old = await this.#old.all(transaction, [number, seconds, now - keepSeconds, left]);
          if (old.length === 0) continue;
          left -= old.length;
          // With all labels of the last moment.
          await this.#deleteUpTo.write(transaction, [number, seconds, old.at(-1)!.at]);
        }
      }
    });
    return left <= 0;
  }

  async #knownLabels(): Promise<Record<LabelKind, Map<string, number>>> {
    if (this.#labels === null) {
      const labels = { site: new Map<string, number>(), source: new Map<string, number>() };
      for (const { kind, name, id } of await this.#database.read.selectFrom('series_labels').selectAll().execute())
        labels[kind].set(name, id);
      this.#labels = labels;
    }
    return this.#labels;
  }
}

function numberOf(metric: Metric, label: number): number {
  return metrics[metric] + (label === 0 ? 0 : ofLabels);
}
