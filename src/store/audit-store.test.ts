import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry, line, NOON, nothing, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { ApiKeysStore } from './api-keys-store.ts';
import type { AuditNote } from './audit-rows.ts';
import { type AuditEntry, AuditStore } from './audit-store.ts';
import { BlockedIpsStore, type GroupAudit } from './blocked-ips-store.ts';
import type { Database } from './open-database.ts';
import { SitesStore } from './sites-store.ts';
import { TrustedIpsStore } from './trusted-ips-store.ts';

let folder: StoreFolder;
let database: Database;
let store: AuditStore;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  store = new AuditStore(database);
});
afterEach(() => folder.remove());

const at = NOON.toISOString();
const note = (operation: string, more: Partial<AuditNote> = {}): AuditNote => ({
  operation,
  keyName: 'ops',
  source: '10.0.0.1',
  requestId: 'r1',
  ...more,
});
const outcomeOf = (operation: string, more: Partial<AuditNote> = {}, when = at): AuditEntry => ({
  note: note(operation, more),
  at: when,
  outcome: { finishedAt: when, status: 200 },
});
const operations = async (query: Partial<Parameters<AuditStore['page']>[0]> = {}) =>
  (await store.page({ limit: 100, ...query })).items.map(({ operation }) => operation);

describe('a change and its audit row', () => {
  const add = (text: string) => ({ op: 'add', entry: entry(text), expiry: { kind: 'permanent' } }) as const;
  const auditOf = (ids: number[]): GroupAudit => ({
    changes: 1,
    records: () => false,
    note: () => note('block', { ipAddress: '192.0.2.1', details: { created: true } }),
    written: (id) => void ids.push(id),
  });

  it('are durable together: a crash right after the commit keeps both', async () => {
    const ids: number[] = [];
    await new BlockedIpsStore(database).applyGroup([add('192.0.2.1')], NOON, nothing, [auditOf(ids)]);
    const crashed = folder.crashed();
    try {
      const found = await new AuditStore(await crashed.open()).page({ limit: 10 });
      expect(found.items).toEqual([
        {
          id: ids[0],
          at,
          operation: 'block',
          key: 'ops',
          source: '10.0.0.1',
          request_id: 'r1',
          ip_address: '192.0.2.1',
          target: null,
          details: { created: true },
          outcome: 'unknown',
          status: null,
          code: null,
          finished_at: null,
          runtime_map_updated: null,
          runtime_map_failures_total: null,
          reload_scheduled: null,
          result: null,
        },
      ]);
    } finally {
      await crashed.remove();
    }
  });

  it('are rolled back together, and return no id of a row that does not exist', async () => {
    const ids: number[] = [];
    const blocked = new BlockedIpsStore(database);
    const failing = blocked.applyGroup(
      [add('192.0.2.1')],
      NOON,
      () => {
        throw new Error('the file cannot be written');
      },
      [auditOf(ids)],
    );
    await expect(failing).rejects.toThrow('the file');
    expect(await operations()).toEqual([]);
    expect(ids).toEqual([]);
  });

  it('of several requests in one group are a row each, with the outcome of its own changes', async () => {
    const seen: unknown[] = [];
    const auditFor = (changes: number, operation: string): GroupAudit => ({
      changes,
      records: () => false,
      note: (effects) => {
        seen.push(effects.map((effect) => (effect.op === 'add' ? effect.row.ip_address : effect.removed)));
        return operation === 'nothing' ? null : note(operation);
      },
      written: nothing,
    });
    await new BlockedIpsStore(database).applyGroup(
      [add('192.0.2.1'), add('192.0.2.2'), { op: 'remove', entry: entry('192.0.2.3') }, add('192.0.2.4')],
      NOON,
      nothing,
      [auditFor(2, 'batch'), auditFor(1, 'nothing'), auditFor(1, 'block')],
    );
    expect(seen).toEqual([['192.0.2.1', '192.0.2.2'], [null], ['192.0.2.4']]);
    expect(await operations()).toEqual(['block', 'batch']);
  });

  it('of trust, sites, keys and a bulk change are written with them, and none for absent targets', async () => {
    const ids: number[] = [];
    const audited = (operation: string) => ({ note: note(operation), written: (id: number) => void ids.push(id) });
    const trusted = new TrustedIpsStore(database);
    await trusted.put(entry('10.0.0.0/8'), { note: 'office', expiry: { kind: 'keep' } }, NOON, audited('trust'));
    await trusted.remove(entry('10.0.0.0/8'), NOON, audited('distrust'));
    await trusted.remove(entry('10.0.0.0/8'), NOON, audited('distrust again'));
    const sites = new SitesStore(database);
    await sites.put({ domain: 'a.example', servers: [] }, NOON, audited('set_site'));
    await sites.remove('a.example', NOON, audited('remove_site'));
    await sites.remove('a.example', NOON, audited('remove_site again'));
    const keys = new ApiKeysStore(database);
    await keys.create({ name: 'ci', hash: 'h', scopes: ['read'] }, NOON, audited('create_key'));
    await keys.create({ name: 'ci', hash: 'i', scopes: ['read'] }, NOON, audited('create_key again'));
    await keys.revoke('ci', NOON, undefined, audited('revoke_key'));
    const { bulk } = storesOf(database);
    const id = await bulk.begin({ replace: true });
    await bulk.stage(id, [line('192.0.2.1')]);
    await bulk.markReady([id], audited('replace'));
    expect(await operations()).toEqual([
      'replace',
      'revoke_key',
      'create_key',
      'remove_site',
      'set_site',
      'distrust',
      'trust',
    ]);
    expect(ids).toHaveLength(7);
  });
});

describe('the audit log', () => {
  it('returns the later outcome of a row, and an outcome without a row', async () => {
    await store.append([outcomeOf('reload')]);
    const ids: number[] = [];
    const blocked = new BlockedIpsStore(database);
    const audit = {
      changes: 1,
      records: () => false,
      note: () => note('block'),
      written: (id: number) => void ids.push(id),
    };
    await blocked.applyGroup([{ op: 'remove', entry: entry('192.0.2.1') }], NOON, nothing, [audit]);
    await store.append([
      {
        id: ids[0]!,
        outcome: {
          finishedAt: at,
          status: 503,
          code: 6004,
          runtimeMapUpdated: false,
          runtimeMapFailuresTotal: 3,
          reloadScheduled: true,
          result: { removed: 1 },
        },
      },
    ]);
    expect((await store.page({ limit: 10 })).items).toMatchObject([
      {
        outcome: 'failed',
        status: 503,
        code: 6004,
        runtime_map_updated: false,
        runtime_map_failures_total: 3,
        reload_scheduled: true,
        result: { removed: 1 },
      },
      { operation: 'reload', outcome: 'done', status: 200, runtime_map_updated: null },
    ]);
  });

  it('stores a repeated outcome once, and the others of its group', async () => {
    const ids: number[] = [];
    await new BlockedIpsStore(database).applyGroup(
      [{ op: 'add', entry: entry('192.0.2.1'), expiry: { kind: 'permanent' } }],
      NOON,
      nothing,
      [{ changes: 1, records: () => false, note: () => note('block'), written: (id) => void ids.push(id) }],
    );
    const outcome = { finishedAt: at, status: 200 };
    await store.append([{ id: ids[0]!, outcome }]);
    await store.append([{ id: ids[0]!, outcome: { finishedAt: at, status: 500 } }, outcomeOf('reload')]);
    expect((await store.page({ limit: 10 })).items).toMatchObject([
      { operation: 'reload', status: 200 },
      { operation: 'block', status: 200 },
    ]);
  });

  it.each([
    [200, 'done'],
    [207, 'partly'],
    [404, 'refused'],
    [503, 'failed'],
    [null, 'done'],
  ])('names an answer %s %s', async (status, outcome) => {
    await store.append([{ note: note('x'), at, outcome: { finishedAt: at, status } }]);
    expect((await store.page({ limit: 1 })).items[0]).toMatchObject({ outcome, status });
  });

  it('is filtered by operation, key, address and time, and paged from the newest on', async () => {
    const later = '2026-11-20T13:00:00.000Z';
    await store.append([
      outcomeOf('block', { ipAddress: '192.0.2.1' }),
      outcomeOf('block', { ipAddress: '192.0.2.2', keyName: 'fail2ban' }),
      outcomeOf('unblock', { ipAddress: '192.0.2.1' }, later),
      outcomeOf('sync', {}, later),
    ]);
    expect(await operations({ ipAddress: '192.0.2.1' })).toEqual(['unblock', 'block']);
    expect(await operations({ operation: 'block', key: 'fail2ban' })).toEqual(['block']);
    expect(await operations({ since: later })).toEqual(['sync', 'unblock']);
    expect(await operations({ until: later })).toEqual(['block', 'block']);
    expect(await operations({ key: 'unknown' })).toEqual([]);
    const first = await store.page({ limit: 3 });
    expect(first.items.map(({ id }) => id)).toEqual([4, 3, 2]);
    const second = await store.page({ limit: 3, cursor: first.nextCursor });
    expect(second).toMatchObject({ items: [{ id: 1 }], nextCursor: null });
    for (const cursor of ['0', '-1', '1e3', 'x']) await expect(store.page({ limit: 1, cursor })).rejects.toThrow();
  });

  it('finds an address in the groups that contain it, and in no similar text', async () => {
    const group = (...ip_addresses: string[]) => ({ details: { added: 2, removed: 0, unchanged: 0, ip_addresses } });
    await store.append([
      outcomeOf('batch', group('192.0.2.1', '2001:db8::/32')),
      outcomeOf('expire', group('192.0.2.1')),
      outcomeOf('batch', group('192.0.2.11', '192.0.2.0/24')),
      outcomeOf('set_site', { target: 'a.example', details: { servers: [{ address: '192.0.2.1', port: 80 }] } }),
      outcomeOf('block', { ipAddress: '192.0.2.9', details: { reason: '"ip_addresses":["192.0.2.1"]' } }),
      outcomeOf('replace', { details: { entries: 3 } }),
      outcomeOf('sync'),
    ]);
    expect(await operations({ ipAddress: '192.0.2.1' })).toEqual(['expire', 'batch']);
    expect(await operations({ ipAddress: '2001:db8::/32' })).toEqual(['batch']);
    expect(await operations({ ipAddress: '192.0.2.2' })).toEqual([]);
  });

  it('begins quickly at the newest row for a cursor far beyond it', async () => {
    await store.append([outcomeOf('block')]);
    // Scanning absent numbers would take a turn of the event loop per few thousand.
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    expect((await store.page({ limit: 10, cursor: '999999999999999' })).items).toHaveLength(1);
    clearImmediate(timer);
    expect(turns).toBeLessThan(5);
  });

  it('finds rare rows among many, page by page', async () => {
    const many = Array.from({ length: 21_000 }, (_, n) => outcomeOf(n % 10_000 === 5 ? 'rare' : 'block'));
    for (let from = 0; from < many.length; from += 7_000) await store.append(many.slice(from, from + 7_000));
    const page = await store.page({ limit: 2, operation: 'rare' });
    expect(page.items.map(({ id }) => id)).toEqual([20_006, 10_006]);
    expect(await store.page({ limit: 2, operation: 'rare', cursor: page.nextCursor })).toMatchObject({
      items: [{ id: 6 }],
      nextCursor: null,
    });
  });
});

describe('the audit log cannot be changed', () => {
  it('by an update, by a delete, or by taking an outcome away', async () => {
    await store.append([outcomeOf('block')]);
    const file = new SqliteDatabase(folder.file);
    for (const statement of [
      "update audit set key_name = 'another'",
      'update audit_outcomes set status = 200',
      'delete from audit',
      'delete from audit_outcomes',
      'insert into audit_outcomes select * from audit_outcomes',
    ]) {
      expect(() => file.exec(statement)).toThrow(/append-only|UNIQUE/);
    }
    file.close();
    expect(await operations()).toEqual(['block']);
  });

  it('except that rows older than the retention are deleted, but never the newest ten thousand', async () => {
    const old = '2020-01-01T00:00:00.000Z';
    await store.append([outcomeOf('old', {}, old), outcomeOf('old', {}, old), outcomeOf('recent')]);
    expect(await store.forgetOld(NOON, 1_000)).toBe(0);
    // As if ten thousand rows had followed.
    const file = new SqliteDatabase(folder.file);
    const insert = 'insert into audit (id, at, operation) values (?, ?, ?)';
    file.prepare(insert).run(10_100, new Date().toISOString(), 'newest');
    expect(await store.forgetOld(new Date(), 1)).toBe(1);
    expect(await store.forgetOld(new Date(), 1_000)).toBe(1);
    expect(await operations()).toEqual(['newest', 'recent']);
    // And a million.
    file.prepare(insert).run(1_010_100, new Date().toISOString(), 'far newest');
    expect(() => file.exec('delete from audit where id = 1010100')).toThrow(/append-only/);
    file.close();
    expect(await store.forgetOld(new Date(), 1_000)).toBe(1);
    expect(await store.forgetOld(new Date(), 20_000)).toBe(1);
    expect(await operations()).toEqual(['far newest']);
  });
});
