// A database in use that is locked by another process, removed or replaced.
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stopTime } from '../../testkit/stop-time.ts';
import { block, blockedTexts, StoreFolder } from '../../testkit/store/store-folder.ts';
import { BlockedIpsStore } from './blocked-ips-store.ts';
import type { Database } from './open-database.ts';

let folder: StoreFolder;
let database: Database;
let store: BlockedIpsStore;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open({ busyTimeoutMs: 300 });
  store = new BlockedIpsStore(database);
  await block(store, '192.0.2.1');
});
afterEach(() => folder.remove());

const locked = { reason: 'locked', retryAfterSeconds: 5, status: 503 };

function lockIt(): () => void {
  const other = new SqliteDatabase(folder.file);
  other.exec('begin exclusive');
  return () => {
    if (other.inTransaction) other.exec('rollback');
    other.close();
  };
}

describe('a database that another process keeps locked', () => {
  it('is waited for without blocking, and reads continue', async () => {
    const patient = await folder.open({ busyTimeoutMs: 20_000 });
    using time = stopTime();
    const unlock = lockIt();
    const change = block(new BlockedIpsStore(patient), '192.0.2.2');
    await time.pass(10_000);
    expect(await blockedTexts(new BlockedIpsStore(patient))).toEqual(['192.0.2.1']);
    unlock();
    await time.during(change);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('is waited for once: the requests behind the first fail at once', async () => {
    const unlock = lockIt();
    using time = stopTime();
    const began = performance.now();
    const texts = Array.from({ length: 8 }, (_, n) => `192.0.3.${n}`);
    for (const outcome of await time.during(Promise.allSettled(texts.map((text) => block(store, text))))) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: locked });
    }
    expect(performance.now() - began).toBeLessThan(400);
    await expect(time.during(database.probe())).rejects.toMatchObject(locked);
    unlock();
    await database.probe();
    await block(store, ...texts);
  });
});

describe('a database that is removed while it is in use', () => {
  it.each(['', '-wal', '-shm'])(
    '(its file%s) rejects changes that would be lost, and accepts them when its file is back',
    async (suffix) => {
      const away = `${folder.file}.away`;
      renameSync(folder.file + suffix, away);
      await expect(block(store, '192.0.2.2')).rejects.toMatchObject({
        reason: 'replaced',
        status: 503,
        message: expect.stringMatching(/was removed while it was in use.*restart/),
      });
      await expect(database.probe()).rejects.toMatchObject({ reason: 'replaced' });
      expect(await blockedTexts(store)).toEqual(['192.0.2.1']);
      renameSync(away, folder.file + suffix);
      await database.probe();
      await block(store, '192.0.2.3');
      expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.3']);
    },
  );

  it('(another one in its place) is not written to, nor is the other', async () => {
    renameSync(folder.file, `${folder.file}.old`);
    const other = new SqliteDatabase(folder.file);
    other.exec('create table notes (text)');
    other.close();
    await expect(block(store, '192.0.2.2')).rejects.toMatchObject({
      reason: 'replaced',
      message: expect.stringContaining('was replaced by another file'),
    });
  });

  it('lets a query read that is not part of a change, and rejects one that writes', async () => {
    renameSync(folder.file, `${folder.file}.away`);
    expect(await database.write.selectFrom('blocked_ips').select('reason').execute()).toHaveLength(1);
    await expect(database.write.updateTable('blocked_ips').set({ reason: 'lost' }).execute()).rejects.toMatchObject({
      reason: 'replaced',
    });
  });

  it('rejects the transactions of a bulk change like those of a block', async () => {
    rmSync(folder.file);
    await expect(database.write.transaction().execute(async () => undefined)).rejects.toMatchObject({
      reason: 'replaced',
    });
    expect(existsSync(folder.file)).toBe(false);
  });
});

describe('a database that is damaged while it is in use', () => {
  it('accepts no change once the damage was found, names the remedy, and stays readable elsewhere', async () => {
    const texts = Array.from({ length: 3_000 }, (_, n) => `10.1.${n >> 8}.${n & 255}`);
    await block(store, ...texts);
    await database.close();
    database = await folder.open();
    store = new BlockedIpsStore(database);
    await block(store, '192.0.2.2');
    // All but the pages of the schema and the identity.
    const pages = statSync(folder.file).size / 4096;
    const file = openSync(folder.file, 'r+');
    for (let page = 30; page < pages; page += 1) writeSync(file, Buffer.alloc(4096), 0, 4096, page * 4096);
    closeSync(file);
    await expect(blockedTexts(store)).rejects.toMatchObject({ reason: 'corrupt' });
    const refusal = { reason: 'corrupt', message: expect.stringMatching(/restore it from a backup.*-wal/) };
    await expect(block(store, '192.0.2.3')).rejects.toMatchObject(refusal);
    await expect(database.probe()).rejects.toMatchObject(refusal);
    await database.ping();
  });
});
