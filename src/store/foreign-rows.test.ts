import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  block,
  blockedTexts,
  entry,
  finish,
  line,
  NOON,
  StoreFolder,
  storesOf,
} from '../../testkit/store/store-folder.ts';
import type { BlockedChange, BlockedIpsStore } from './blocked-ips-store.ts';
import { BulkStore } from './bulk-store.ts';
import { ClaimsStore } from './claims-store.ts';
import type { Database } from './open-database.ts';

let folder: StoreFolder;
let store: BlockedIpsStore;
let database: Database;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  ({ store } = storesOf(database));
});
afterEach(() => folder.remove());

/** Like an operator with another SQLite client. */
function insert(ip: string, more: { blockedAt?: string; expiresAt?: string } = {}): void {
  const database = new SqliteDatabase(folder.file);
  database
    .prepare('INSERT INTO blocked_ips(ip_address, blocked_at, expires_at) VALUES (?, ?, ?)')
    .run(ip, more.blockedAt ?? '2026-11-20 11:00:00', more.expiresAt ?? null);
  database.close();
}
const adoptAll = async (limit = 100) => {
  const unusable: string[] = [];
  let adopted = 0;
  let after: string | null = null;
  do {
    const piece = await store.adoptUnkeyedRows(after, limit, NOON);
    adopted += piece.adopted;
    unusable.push(...piece.unusable.map((row) => row.ip_address));
    after = piece.last;
  } while (after !== null);
  return { adopted, unusable };
};

describe('a row that an operator inserted', () => {
  it('has no effect until it is adopted, and then counts like any other, in canonical form', async () => {
    await block(store, '192.0.2.1');
    for (const ip of ['192.0.2.7', '2001:DB8:0::1', '198.51.100.3/32', '::ffff:203.0.113.5']) insert(ip);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1']);
    expect(await store.hasUnkeyedRows()).toBe(true);
    expect(await adoptAll(2)).toEqual({ adopted: 4, unusable: [] });
    expect(await store.hasUnkeyedRows()).toBe(false);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.7', '198.51.100.3', '203.0.113.5', '2001:db8::1']);
    expect(await store.get('2001:db8::1')).toMatchObject({ blocked_at: '2026-11-20T11:00:00.000Z', expires_at: null });
  });

  it('gets a time if it has no readable one', async () => {
    insert('192.0.2.7', { blockedAt: 'yesterday' });
    await adoptAll();
    expect(await store.get('192.0.2.7')).toMatchObject({ blocked_at: NOON.toISOString() });
  });

  it('is reported and not changed if it is not an address', async () => {
    for (const ip of ['example.org', '10.0.0.1/8', '', '192.0.2.7']) insert(ip);
    expect(await adoptAll(1)).toEqual({ adopted: 1, unusable: ['', '10.0.0.1/8', 'example.org'] });
    expect(await blockedTexts(store)).toEqual(['192.0.2.7']);
    expect(await adoptAll()).toEqual({ adopted: 0, unusable: ['', '10.0.0.1/8', 'example.org'] });
  });

  it('in another spelling of an existing entry is merged with it, with the later expiry', async () => {
    await block(store, '192.0.2.1');
    const end = '2026-11-21T00:00:00.000Z';
    insert('192.0.2.1/32', { expiresAt: end });
    insert('192.0.2.8', { expiresAt: end });
    insert('192.0.2.8/32');
    expect((await adoptAll()).unusable).toEqual([]);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.8']);
    expect(await store.get('192.0.2.1')).toMatchObject({ expires_at: null });
    expect(await store.get('192.0.2.8')).toMatchObject({ expires_at: null });
  });

  it('is a new block if the API blocks it first, and is removed if the API unblocks it', async () => {
    insert('192.0.2.7');
    insert('192.0.2.8');
    const added = await store.applyGroup(
      [{ op: 'add', entry: entry('192.0.2.7'), expiry: { kind: 'permanent' } }],
      NOON,
      (net) => expect(net).toEqual({ added: ['192.0.2.7'], removed: [] }),
    );
    expect(added.effects).toMatchObject([{ op: 'add', row: { ip_address: '192.0.2.7' } }]);
    await store.applyGroup([{ op: 'remove', entry: entry('192.0.2.8') }], NOON, (net) =>
      expect(net).toEqual({ added: [], removed: [] }),
    );
    expect(await blockedTexts(store)).toEqual(['192.0.2.7']);
    expect(await store.count()).toBe(1);
    expect(await store.hasUnkeyedRows()).toBe(false);
  });

  it('that the API blocks gets a readable time', async () => {
    insert('192.0.2.7');
    await block(store, '192.0.2.7');
    expect(await store.get('192.0.2.7')).toMatchObject({ blocked_at: '2026-11-20T11:00:00.000Z' });
  });

  it('does not disturb lists, lookups and expiry before it is adopted', async () => {
    await block(store, '10.1.0.0/16');
    insert('10.0.0.0/8');
    insert('10.1.2.3', { expiresAt: '2026-11-20T00:00:00.000Z' });
    const page = await store.page({ limit: 10, q: '10.1.2.0/24', now: NOON });
    expect(page.items.map((row) => row.ip_address)).toEqual(['10.1.0.0/16']);
    expect(await store.expiredBefore(NOON.toISOString(), 10)).toEqual([]);
    expect(await store.nextExpiry()).toBeNull();
  });
});

describe('a row whose text an operator corrects', () => {
  const correct = (from: string, to: string) => {
    const database = new SqliteDatabase(folder.file);
    database.prepare('UPDATE blocked_ips SET ip_address = ? WHERE ip_address = ?').run(to, from);
    database.close();
  };

  it('has no effect until it is adopted, and then counts under its new address', async () => {
    await block(store, '192.0.2.1', '192.0.2.2');
    correct('192.0.2.1', '192.0.2.77/32');
    expect(await blockedTexts(store)).toEqual(['192.0.2.2']);
    expect(await adoptAll()).toEqual({ adopted: 1, unusable: [] });
    expect(await blockedTexts(store)).toEqual(['192.0.2.2', '192.0.2.77']);
    // Its old address is free again.
    await block(store, '192.0.2.1');
    expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.77']);
  });

  it('is neither removed nor reported by a list that does not name it', async () => {
    await block(store, '192.0.2.1', '192.0.2.2');
    correct('192.0.2.1', '192.0.2.77');
    const bulk = new BulkStore(database);
    const id = await bulk.begin({ replace: true });
    await bulk.stage(id, [line('192.0.2.2')]);
    await bulk.markReady([id]);
    expect(await finish(bulk, id, 10)).toEqual({ added: [], removed: [], updated: 0, renewed: 0, unchanged: 1 });
    expect(await store.hasUnkeyedRows()).toBe(true);
  });

  it('keeps its key if the text stays the same', async () => {
    await block(store, '192.0.2.1');
    correct('192.0.2.1', '192.0.2.1');
    expect(await blockedTexts(store)).toEqual(['192.0.2.1']);
  });
});

describe('a row with which an operator replaced that of a shared address', () => {
  const ip = '192.0.2.1';
  const LATE = '2026-11-20T15:00:00.000Z';
  const claim = (source: number, at?: string): BlockedChange => ({
    op: 'add',
    entry: entry(ip),
    source,
    expiry: at === undefined ? { kind: 'permanent' } : { kind: 'at', at },
  });
  const sourcesOf = async () => {
    const rows = await database.read.selectFrom('blocked_ips').select(['source', 'others', 'expires_at']).execute();
    const further = await database.read.selectFrom('claims').select('source').orderBy('source').execute();
    return { rows, further: further.map(({ source }) => source) };
  };
  const change = async (...changes: BlockedChange[]) => await store.applyGroup(changes, NOON, async () => undefined);

  beforeEach(async () => {
    const source = { kind: 'agent', created_at: NOON.toISOString() } as const;
    await database.write
      .insertInto('sources')
      .values({ ...source, id: 2, name: 'fail2ban' })
      .execute();
    await change(claim(1, LATE), claim(2, '2026-11-20T13:00:00.000Z'));
    const file = new SqliteDatabase(folder.file);
    file.exec(`insert or replace into blocked_ips (ip_address, blocked_at) values ('${ip}', '2026-11-20 11:00:00')`);
    file.close();
  });

  it('is adopted beside the claims of the others', async () => {
    await adoptAll();
    expect(await sourcesOf()).toEqual({ rows: [{ source: 1, others: 1, expires_at: null }], further: [2] });
    await change(claim(2, LATE));
    expect((await sourcesOf()).further).toEqual([2]);
  });

  it('is adopted by the next claim, and by a removal of another claim', async () => {
    await change(claim(2, LATE));
    expect(await sourcesOf()).toEqual({ rows: [{ source: 1, others: 1, expires_at: null }], further: [2] });
  });

  it('goes with all its claims', async () => {
    await change({ op: 'remove', entry: entry(ip) });
    expect(await sourcesOf()).toEqual({ rows: [], further: [] });
  });

  describe('and that had a further claim of manual', () => {
    beforeEach(async () => {
      await store.adoptUnkeyedRows(null, 100, NOON);
      await change(claim(1, '2026-11-20T13:00:00.000Z'), claim(2, LATE));
      const file = new SqliteDatabase(folder.file);
      file.exec('delete from claims');
      file.exec(`update blocked_ips set source = 2, others = 1, expires_at = '${LATE}'`);
      file.exec(`insert into claims select sort_key, 1, null, null, blocked_at, expires_at from blocked_ips`);
      file.exec(`insert or replace into blocked_ips (ip_address, blocked_at) values ('${ip}', '2026-11-20 11:00:00')`);
      file.close();
      expect(store.furtherClaims).toBe(1);
    });
    const one = { rows: [{ source: 1, others: 0, expires_at: null }], further: [] };

    it('is adopted without it', async () => {
      await adoptAll();
      expect(await sourcesOf()).toEqual(one);
      expect(store.furtherClaims).toBe(0);
    });

    it('is adopted without it by the next claim', async () => {
      await change(claim(1));
      expect(await sourcesOf()).toEqual(one);
      expect(store.furtherClaims).toBe(0);
    });

    it('is adopted without it during a bulk change', async () => {
      const bulk = new BulkStore(database);
      const id = await bulk.begin({ replace: false });
      await bulk.stage(id, [{ op: 'add', entry: entry(ip), expiry: { kind: 'keep' } }]);
      await bulk.markReady([id]);
      await finish(bulk, id, 100);
      expect(await sourcesOf()).toEqual(one);
      expect(store.furtherClaims).toBe(0);
    });
  });

  it('ends when its own end was shortened, and the others stay', async () => {
    await change(claim(1), claim(2, LATE));
    const file = new SqliteDatabase(folder.file);
    file.exec(`update blocked_ips set expires_at = '2026-11-20T12:30:00.000Z' where ip_address = '${ip}'`);
    file.exec(
      `insert into sources (id, name, kind, created_at) values (3, 'other', 'agent', '2026-11-20T11:00:00.000Z')`,
    );
    file.exec(`insert into claims select sort_key, 3, null, null, claimed_at, '2026-11-20T12:10:00.000Z' from claims`);
    file.exec('update blocked_ips set others = 2');
    file.close();
    await new ClaimsStore(database).sweep(new Date('2026-11-20T12:20:00.000Z'), 100);
    expect(await sourcesOf()).toEqual({ rows: [{ source: 2, others: 1, expires_at: LATE }], further: [1] });
  });
});
