import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { countsExactly } from '../../testkit/store/claim-counts.ts';
import { entry, NOON, nothing, StoreFolder } from '../../testkit/store/store-folder.ts';
import { sortKey } from '../domain/ip.ts';
import { BlockedIpsStore } from './blocked-ips-store.ts';
import { ClaimsStore } from './claims-store.ts';

const [ip, other] = ['192.0.2.1', '192.0.2.2'];
const EARLY = '2026-11-20T13:00:00.000Z';
const LATE = '2026-11-20T15:00:00.000Z';

let folder: StoreFolder;
beforeEach(() => {
  folder = new StoreFolder();
});
afterEach(() => folder.remove());

/** What a defect or an operator left, as a start finds it. */
async function start(damage: string) {
  const first = await folder.open();
  const source = { kind: 'agent', note: null, release_at: null, created_at: NOON.toISOString() } as const;
  for (const id of [2, 3])
    await first.write
      .insertInto('sources')
      .values({ ...source, id, name: `s${id}` })
      .execute();
  const add = (text: string, by: number, at: string | null) => {
    const expiry = at === null ? { kind: 'permanent' as const } : { kind: 'at' as const, at };
    return { op: 'add', entry: entry(text), source: by, expiry } as const;
  };
  const changes = [add(ip!, 1, EARLY), add(ip!, 2, LATE), add(ip!, 3, EARLY), add(other!, 1, null)];
  await new BlockedIpsStore(first).applyGroup(changes, NOON, nothing);
  await first.close();
  const file = new SqliteDatabase(folder.file);
  file.exec(damage);
  file.close();
  const database = await folder.open();
  const claims = new ClaimsStore(database);
  const repaired = await claims.repair(NOON);
  expect(await claims.repair(NOON)).toEqual({ counts: 0, restored: [] });
  const rows = await database.read.selectFrom('blocked_ips').selectAll().orderBy('ip_address').execute();
  const further = await database.read.selectFrom('claims').selectAll().orderBy('source').execute();
  expect(database.blockedCount.value).toBe(rows.length);
  await database.claimRecount.correct();
  await countsExactly(database);
  return { repaired, rows, further: further.map(({ source: by }) => by) };
}

it('changes nothing where rows and claims agree', async () => {
  const { repaired, further } = await start('select 1');
  expect(repaired).toEqual({ counts: 0, restored: [] });
  expect(further).toEqual([1, 3]);
});

it.each([0, 1, 5])('corrects a row that says that it has %i further claims', async (others) => {
  const { repaired, rows } = await start(`update blocked_ips set others = ${others} where ip_address = '${ip}'`);
  expect(repaired).toEqual({ counts: 1, restored: [] });
  expect(rows).toMatchObject([
    { source: 2, others: 2, expires_at: LATE },
    { source: 1, others: 0 },
  ]);
});

it('keeps a row blocked whose claims are lost', async () => {
  const { repaired, rows } = await start('delete from claims');
  expect(repaired).toEqual({ counts: 1, restored: [] });
  expect(rows).toMatchObject([{ ip_address: ip, source: 2, others: 0 }, { ip_address: other }]);
});

it('blocks an address that is claimed and has no row, until the last claim ends', async () => {
  const { repaired, rows, further } = await start(
    `drop trigger blocked_ips_claims_gone; delete from blocked_ips where ip_address = '${ip}'`,
  );
  expect(repaired).toEqual({ counts: 0, restored: [ip] });
  expect(rows).toMatchObject([{ ip_address: ip, sort_key: sortKey(entry(ip!)), others: 1, expires_at: EARLY }, {}]);
  expect(further).toHaveLength(1);
});

it('forgets claims without a row that have ended', async () => {
  const { repaired, rows, further } = await start(
    `drop trigger blocked_ips_claims_gone; delete from blocked_ips where ip_address = '${ip}';
     update claims set expires_at = '2026-11-20T11:00:00.000Z'`,
  );
  expect(repaired).toEqual({ counts: 0, restored: [] });
  expect([rows.length, further]).toEqual([1, []]);
});

it('lets the row carry the claim that ends last', async () => {
  const { repaired, rows } = await start(
    `update blocked_ips set others = 1, expires_at = '${EARLY}' where ip_address = '${ip}';
     update claims set expires_at = null where source = 3`,
  );
  expect(repaired).toEqual({ counts: 1, restored: [] });
  expect(rows).toMatchObject([{ source: 3, others: 2, expires_at: null }, {}]);
});

it('keeps the row with which an operator replaced a shared one, and the claims of the others', async () => {
  const replace = `insert or replace into blocked_ips (ip_address, blocked_at) values ('${ip}', '2026-11-20 11:00:00')`;
  const { rows, further } = await start(replace);
  expect(rows).toMatchObject([{ ip_address: ip, source: 1, others: 1, expires_at: null }, { ip_address: other }]);
  expect(further).toEqual([3]);
});
