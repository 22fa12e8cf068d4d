import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backBefore0018, backBefore0027, entry, NOON, StoreFolder } from '../../testkit/store/store-folder.ts';
import type { ReloadRecord } from '../api/configuration.ts';
import { ApiKeysStore } from './api-keys-store.ts';
import type { Database } from './open-database.ts';
import { KEPT_RELOADS, ReloadsStore } from './reloads-store.ts';
import { SitesStore } from './sites-store.ts';
import { type TrustExpiry, TrustedIpsStore } from './trusted-ips-store.ts';

const LATER = new Date('2026-11-20T12:00:59.999Z');
const MUCH_LATER = new Date('2026-11-20T12:01:00.000Z');

const keep = { kind: 'keep' } as const;

let folder: StoreFolder;
let database: Database;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
});
afterEach(() => folder.remove());

describe('trusted addresses', () => {
  it('are added, changed, listed in the order of addresses, and removed', async () => {
    const store = new TrustedIpsStore(database);
    const at = NOON.toISOString();
    expect(await store.put(entry('10.0.0.0/8'), { note: 'office', expiry: keep }, NOON)).toEqual({
      created: true,
      row: { ip_address: '10.0.0.0/8', note: 'office', added_at: at, expires_at: null },
    });
    await store.put(entry('9.9.9.9'), { note: null, expiry: keep }, NOON);
    expect(await store.put(entry('10.0.0.0/8'), { expiry: keep }, LATER)).toMatchObject({
      created: false,
      row: { note: 'office', added_at: at },
    });
    await store.put(entry('10.0.0.0/8'), { note: null, expiry: keep }, LATER);
    expect(await store.list()).toEqual([
      { ip_address: '9.9.9.9', note: null, added_at: at, expires_at: null },
      { ip_address: '10.0.0.0/8', note: null, added_at: at, expires_at: null },
    ]);
    expect(await store.coveringOf(entry('10.1.1.1'))).toEqual(['10.0.0.0/8']);
    expect(await store.insideOf(entry('9.0.0.0/8'), 10)).toEqual(['9.9.9.9']);
    expect(await store.remove(entry('9.9.9.9'), LATER)).toMatchObject({ ip_address: '9.9.9.9' });
    expect(await store.remove(entry('9.9.9.9'), LATER)).toBeNull();
    expect(await store.get('9.9.9.9')).toBeNull();
    expect(await store.get('10.0.0.0/8')).not.toBeNull();
  });

  describe('that are temporary', () => {
    const trusted = entry('192.0.2.7');
    const seconds = (count: number) => ({ kind: 'duration', seconds: count }) as const;
    const put = async (expiry: TrustExpiry, now = NOON) =>
      (await new TrustedIpsStore(database).put(trusted, { expiry }, now)).row.expires_at;
    const at = (time: Date) => ({ kind: 'at', at: time }) as const;

    it.each([
      { expiry: { kind: 'keep' } as const, end: MUCH_LATER.toISOString(), what: 'keep their end without a time' },
      { expiry: { kind: 'permanent' } as const, end: null, what: 'become permanent where that is said' },
      { expiry: seconds(30), end: MUCH_LATER.toISOString(), what: 'are not shortened by a duration' },
      { expiry: seconds(90), end: '2026-11-20T12:01:30.000Z', what: 'are extended by a longer duration' },
      { expiry: at(LATER), end: LATER.toISOString(), what: 'are shortened by an earlier expires_at' },
    ])('$what', async ({ expiry, end }) => {
      expect(await put(at(MUCH_LATER))).toBe(MUCH_LATER.toISOString());
      expect(await put(expiry)).toBe(end);
      expect((await new TrustedIpsStore(database).get(trusted.text))?.expires_at).toBe(end);
    });

    it('are never made from a permanent entry by a duration', async () => {
      await put({ kind: 'keep' });
      expect(await put(seconds(60))).toBeNull();
    });

    it('count as absent once they have expired', async () => {
      const store = new TrustedIpsStore(database);
      await store.put(trusted, { note: 'visitor', expiry: seconds(1) }, NOON);
      expect(await store.put(trusted, { expiry: keep }, LATER)).toEqual({
        created: true,
        row: { ip_address: trusted.text, note: null, added_at: LATER.toISOString(), expires_at: null },
      });
    });

    it('are removed at their expiry, not before, and not if they were extended', async () => {
      const store = new TrustedIpsStore(database);
      await store.put(entry('192.0.2.8'), { expiry: keep }, NOON);
      await put(at(LATER));
      expect(await store.expiredBefore(new Date(LATER.getTime() - 1), 10)).toEqual([]);
      expect(await store.expiredBefore(LATER, 10)).toEqual([trusted.text]);
      await put(at(MUCH_LATER));
      expect(await store.removeExpired(trusted, LATER)).toBeNull();
      expect(await store.removeExpired(entry('192.0.2.8'), MUCH_LATER)).toBeNull();
      expect(await store.removeExpired(trusted, MUCH_LATER)).toMatchObject({ ip_address: trusted.text });
      expect((await store.list()).map((row) => row.ip_address)).toEqual(['192.0.2.8']);
    });
  });
});

describe('sites', () => {
  it('are added, changed, listed by domain, and removed', async () => {
    const store = new SitesStore(database);
    const servers = [{ address: '127.0.0.1', port: 8080, options: { weight: 5 } }];
    expect(await store.put({ domain: 'b.example', servers }, NOON)).toMatchObject({ created: true });
    expect(await store.put({ domain: 'b.example', servers: [] }, LATER)).toMatchObject({ created: false });
    await store.put({ domain: 'a.example', servers }, NOON);
    const at = NOON.toISOString();
    const defaults = { names: [], canonical: null, enabled: true, redirect: null };
    expect(await store.all()).toEqual([
      { domain: 'a.example', servers, ...defaults, created_at: at, updated_at: at },
      { domain: 'b.example', servers: [], ...defaults, created_at: at, updated_at: LATER.toISOString() },
    ]);
    expect(await store.count()).toBe(2);
    expect(await store.remove('a.example')).toMatchObject({ servers });
    expect(await store.remove('a.example')).toBeNull();
    expect(await store.get('a.example')).toBeNull();
    expect(await store.get('b.example')).toMatchObject({ servers: [] });
  });

  it('keep names, switch and redirect, and lose them when they are set without', async () => {
    const store = new SitesStore(database);
    const redirect = { to: 'https://b.example', status: 308, keep_path: false } as const;
    const full = {
      domain: 'a.example',
      servers: [],
      names: ['*.a.example'],
      canonical: 'a.example',
      enabled: false,
      redirect,
    };
    await store.put(full, NOON);
    expect(await store.get('a.example')).toMatchObject(full);
    await store.put({ domain: 'a.example', servers: [] }, LATER);
    expect(await store.get('a.example')).toMatchObject({ names: [], canonical: null, enabled: true, redirect: null });
  });

  it('of the version before have one name, and are enabled', async () => {
    await new SitesStore(database).put({ domain: 'a.example', servers: [] }, NOON);
    await database.close();
    const file = new SqliteDatabase(folder.file);
    backBefore0027(file);
    backBefore0018(file);
    file.exec("delete from schema_migrations where name >= '0018'");
    file.close();
    database = await folder.open({ createIfMissing: false });
    const defaults = { names: [], canonical: null, enabled: true, redirect: null };
    expect(await new SitesStore(database).all()).toMatchObject([{ domain: 'a.example', servers: [], ...defaults }]);
  });
});

describe('keys', () => {
  it('are created once, found by their hash, revoked once, and keep their name', async () => {
    const store = new ApiKeysStore(database);
    const key = { name: 'ci', hash: 'h1', scopes: ['admin'] };
    const row = {
      ...key,
      created_at: NOON.toISOString(),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      source: null,
    };
    expect(await store.create(key, NOON)).toEqual(row);
    expect(await store.create({ ...key, hash: 'h2' }, NOON)).toBeNull();
    expect(await store.findByHash('h1')).toEqual(row);
    expect(await store.findByHash('h2')).toBeNull();
    expect(await store.revoke('ci', LATER)).toMatchObject({ revoked_at: LATER.toISOString() });
    expect(await store.revoke('ci', MUCH_LATER)).toBeNull();
    expect(await store.findByHash('h1')).toMatchObject({ revoked_at: LATER.toISOString() });
    expect(await store.list()).toHaveLength(1);
  });

  it('note their last use at most once a minute', async () => {
    const store = new ApiKeysStore(database);
    await store.create({ name: 'ci', hash: 'h1', scopes: [] }, NOON);
    const lastUse = async () => (await store.findByHash('h1'))?.last_used_at;
    await store.touch('ci', NOON);
    expect(await lastUse()).toBe(NOON.toISOString());
    await store.touch('ci', LATER);
    expect(await lastUse()).toBe(NOON.toISOString());
    await store.touch('ci', MUCH_LATER);
    expect(await lastUse()).toBe(MUCH_LATER.toISOString());
  });
});

describe('the history of reloads', () => {
  const record = (n: number): ReloadRecord => ({
    id: `r${n}`,
    status: 'completed',
    reasons: ['site a.example', 'runtime map'],
    changed: n % 2 === 0,
    validation_output: 'Configuration file is valid',
    error: null,
    backup: 'b1',
    worker_before: 10,
    worker_after: null,
    warnings: ['old'],
    started_at: NOON.toISOString(),
    finished_at: null,
  });

  it('returns what was appended, newest first, page by page', async () => {
    const store = new ReloadsStore(database);
    expect(await store.list({ limit: 1 })).toEqual({ items: [], nextCursor: null });
    for (let n = 1; n <= 5; n++) await store.append(record(n));
    await store.append({ ...record(2), status: 'failed', changed: null });
    expect(await store.get('r1')).toEqual(record(1));
    expect(await store.get('r2')).toMatchObject({ status: 'failed', changed: null });
    expect(await store.get('r9')).toBeNull();
    const first = await store.list({ limit: 3 });
    expect(first.items.map((item) => item.id)).toEqual(['r5', 'r4', 'r3']);
    const second = await store.list({ limit: 3, cursor: first.nextCursor });
    expect(second.items.map((item) => item.id)).toEqual(['r2', 'r1']);
    expect(second.nextCursor).toBeNull();
    await expect(store.list({ limit: 1, cursor: 'x' })).rejects.toMatchObject({ name: 'InvalidCursor' });
  });

  it('keeps the last thousand', async () => {
    const store = new ReloadsStore(database);
    for (let n = 0; n < KEPT_RELOADS + 3; n++) await store.append(record(n));
    expect(await store.get('r2')).toBeNull();
    expect(await store.get('r3')).not.toBeNull();
    const { items } = await store.list({ limit: 5000 });
    expect(items).toHaveLength(KEPT_RELOADS);
  });
});
