// The service's own limits of orders, which hold for every request (ADR 0084).
import type { Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** The maximum at one authority within a time, for requests of operators too. */
export interface Limit {
  readonly most: number;
  readonly withinMs: number;
}

export interface Limits {
  /** Per set of names. */
  readonly issues: readonly Limit[];
  /** Per name. */
  readonly failedValidations: Limit;
}

export function namesKey(names: readonly string[]): string {
  return names.toSorted().join(',');
}

/** What counts for the limits of these names, at any authority, from before the clock was set back, becomes `at`. */
export async function bringBack(transaction: Transaction<Schema>, names: readonly string[], at: string): Promise<void> {
  await transaction
    .updateTable('acme_orders')
    .set({ finalized_at: at })
    .where('names_key', '=', namesKey(names))
    .where('finalized_at', '>', at)
    .execute();
  await transaction
    .updateTable('acme_failed_validations')
    .set({ at })
    .where('name', 'in', names)
    .where('at', '>', at)
    .execute();
}

export async function exceededLimit(
  transaction: Transaction<Schema>,
  names: readonly string[],
  { directory, issues, failedValidations }: Limits & { readonly directory: string },
  now: Date,
): Promise<{ readonly until: Date; readonly limit: Limit; readonly name: string | null } | null> {
  for (const limit of issues) {
    const rows = await transaction
      .selectFrom('acme_orders')
      .select('finalized_at as at')
      .where('directory', '=', directory)
      .where('names_key', '=', namesKey(names))
      .where('finalized_at', '>', sinceOf(limit, now))
      .orderBy('finalized_at', 'desc')
      .execute();
    const until = freeAt(rows, limit);
    if (until !== null) return { until, limit, name: null };
  }
  for (const name of names) {
    const rows = await transaction
      .selectFrom('acme_failed_validations')
      .select('at')
      .where('directory', '=', directory)
      .where('name', '=', name)
      .where('at', '>', sinceOf(failedValidations, now))
      .orderBy('at', 'desc')
      .execute();
    const until = freeAt(rows, failedValidations);
    if (until !== null) return { until, limit: failedValidations, name };
  }
  return null;
}

function sinceOf({ withinMs }: Limit, now: Date): string {
  return new Date(now.getTime() - withinMs).toISOString();
}

/** When one more is within the limit; null: now. `rows`: of the time that it looks back, the newest first. */
function freeAt(rows: readonly { readonly at: string | null }[], { most, withinMs }: Limit): Date | null {
  const oldest = rows[most - 1];
  return oldest === undefined ? null : new Date(Date.parse(oldest.at!) + withinMs);
}
