import { expect } from 'vitest';
import type { Database } from '../../src/store/open-database.ts';

/** Checks that each source says how many claims it has. Returns when the newest one was made that it has or had. */
export async function countsExactly({ read }: Database): Promise<ReadonlyMap<number, string | null>> {
  const sources = await read.selectFrom('sources').select(['id', 'claims', 'alone', 'last_claimed_at']).execute();
  const rows = await read.selectFrom('blocked_ips').selectAll().where('sort_key', 'is not', null).execute();
  const further = await read.selectFrom('claims').selectAll().execute();
  const counted = sources.map(({ id }) => {
    const carried = rows.filter(({ source }) => source === id);
    return {
      id,
      claims: carried.length + further.filter(({ source }) => source === id).length,
      alone: carried.filter(({ others }) => others === 0).length,
    };
  });
  expect(sources.map(({ id, claims, alone }) => ({ id, claims, alone }))).toEqual(counted);
  return new Map(sources.map(({ id, last_claimed_at }) => [id, last_claimed_at]));
}
