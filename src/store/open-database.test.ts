import { execFile } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longTests } from '../../testkit/proxies.ts';
import { block, blockedTexts, StoreFolder } from '../../testkit/store/store-folder.ts';
import { BlockedIpsStore } from './blocked-ips-store.ts';
import { InstanceStore } from './instance-store.ts';
import { MIGRATIONS, migrate } from './migrations.ts';
import { openDatabase } from './open-database.ts';

let folder: StoreFolder;
beforeEach(() => {
  folder = new StoreFolder();
});
afterEach(() => folder.remove());

const refusal = (reason: string) => ({ name: 'DatabaseUnusable', reason });

describe('opening a database', () => {
  it('creates folder and file if allowed, accessible to the service only', async () => {
    const path = join(folder.path, 'a', 'b', 'new.sqlite');
    const database = await openDatabase(`sqlite:${path}`, { createIfMissing: true });
    expect(database.created).toBe(true);
    await block(new BlockedIpsStore(database), '192.0.2.1');
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
    await database.close();
    const again = await openDatabase(`sqlite:${path}`, { createIfMissing: false });
    expect(again.created).toBe(false);
    await again.ping();
    await again.close();
    // Closing the last connection removes the log.
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('keeps its identity, and its generation, which is raised and never lowered', async () => {
    const first = await InstanceStore.open(await folder.open());
    expect(await first.generation()).toBe(0);
    await first.raiseGeneration(7);
    await first.raiseGeneration(5);
    const second = await InstanceStore.open(await folder.open());
    expect(second.databaseId).toBe(first.databaseId);
    expect(await second.generation()).toBe(7);
  });

  it('probes with a row of its own, and does not change user_version', async () => {
    const database = await folder.open();
    const mine = new SqliteDatabase(folder.file);
    mine.pragma('user_version = 4711');
    const probes = () => mine.prepare('select probes from health_probe').pluck().get();
    expect(probes()).toBe(0);
    await database.probe();
    await database.probe();
    expect(probes()).toBe(2);
    expect(mine.pragma('user_version', { simple: true })).toBe(4711);
    mine.exec('delete from health_probe');
    await expect(database.probe()).rejects.toMatchObject({ reason: 'corrupt' });
    mine.close();
  });

  it('refuses a missing or an empty file unless it may create one, and leaves no file', async () => {
    await expect(folder.open({ createIfMissing: false })).rejects.toMatchObject(refusal('missing'));
    expect(existsSync(folder.file)).toBe(false);
    writeFileSync(folder.file, '');
    await expect(folder.open({ createIfMissing: false })).rejects.toMatchObject(refusal('missing'));
    expect(readFileSync(folder.file)).toHaveLength(0);
    expect((await folder.open({ createIfMissing: true })).created).toBe(true);
  });

  it('refuses a file that is not a database, and does not change it', async () => {
    writeFileSync(folder.file, 'this is no database, but it may be needed\n'.repeat(200));
    const bytes = readFileSync(folder.file);
    await expect(folder.open()).rejects.toMatchObject(refusal('corrupt'));
    expect(readFileSync(folder.file)).toEqual(bytes);
  });

  it('refuses a truncated database', async () => {
    await fill();
    truncateSync(folder.file, 8192);
    const size = statSync(folder.file).size;
    await expect(folder.open()).rejects.toMatchObject(refusal('corrupt'));
    expect(statSync(folder.file).size).toBe(size);
  });

  it('reports damage that is met later as corrupt', async () => {
    await fill();
    const size = statSync(folder.file).size;
    const file = openSync(folder.file, 'r+');
    for (let page = 40; page * 4096 < size; page++) writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, page * 4096);
    closeSync(file);
    // Detected either by the count at opening or by the read.
    const attempt = folder.open().then((database) => blockedTexts(new BlockedIpsStore(database)));
    await expect(attempt).rejects.toMatchObject({ reason: 'corrupt' });
  });

  it("refuses another program's database", async () => {
    const other = new SqliteDatabase(folder.file);
    other.exec('create table notes (text)');
    other.close();
    const bytes = readFileSync(folder.file);
    await expect(folder.open()).rejects.toMatchObject(refusal('foreign'));
    expect(readFileSync(folder.file)).toEqual(bytes);
  });

  it('refuses a schema that is newer than the code, and changes nothing', async () => {
    const database = await folder.open();
    await database.write
      .insertInto('schema_migrations')
      .values({ name: '0002-from-the-future', applied_at: new Date().toISOString() })
      .execute();
    await expect(folder.open()).rejects.toMatchObject({
      ...refusal('newer-schema'),
      message: expect.stringContaining('0002-from-the-future'),
    });
  });

  it('refuses a folder in its place, and a URL of another kind', async () => {
    await expect(openDatabase(`sqlite:${folder.path}`, { createIfMissing: true })).rejects.toMatchObject(
      refusal('unreadable'),
    );
    await expect(openDatabase('postgres://x', { createIfMissing: true })).rejects.toMatchObject(refusal('unsupported'));
  });

  it('refuses a database that another process keeps locked', async () => {
    await (await folder.open()).ping();
    const other = new SqliteDatabase(folder.file);
    other.exec('begin immediate');
    await expect(folder.open({ busyTimeoutMs: 1 })).rejects.toMatchObject(refusal('locked'));
    other.exec('rollback');
    other.close();
    await folder.open({ busyTimeoutMs: 1 });
  });

  async function fill(): Promise<void> {
    const database = await openDatabase(folder.url, { createIfMissing: true });
    const texts = Array.from({ length: 5000 }, (_, n) => `10.1.${n >> 8}.${n & 255}`);
    await block(new BlockedIpsStore(database), ...texts);
    await database.close();
  }
});

describe('migrations', () => {
  it('run once even if they are started twice', async () => {
    const database = await folder.open();
    expect(await migrate(database.write)).toEqual({ created: false });
    const rows = await database.read.selectFrom('schema_migrations').select('name').execute();
    expect(rows.map((row) => row.name)).toEqual(MIGRATIONS.map((migration) => migration.name));
  });

  it('that fail are rolled back together with those before them', async () => {
    const database = await folder.open();
    const failing = [
      ...MIGRATIONS,
      {
        name: '0002-good',
        up: (db: Parameters<(typeof MIGRATIONS)[0]['up']>[0]) =>
          db.schema.createTable('good').addColumn('a', 'text').execute(),
      },
      { name: '0003-bad', up: () => Promise.reject(new Error('bad')) },
    ];
    await expect(migrate(database.write, failing)).rejects.toThrow('bad');
    const tables = await database.write.introspection.getTables();
    expect(tables.map((table) => table.name)).not.toContain('good');
    expect(await migrate(database.write)).toEqual({ created: false });
  });

  it('of several simultaneous processes are run by one', async () => {
    const script = `
      import { openDatabase } from ${JSON.stringify(new URL('./open-database.ts', import.meta.url).href)};
      const database = await openDatabase(${JSON.stringify(folder.url)}, { createIfMissing: true, busyTimeoutMs: 20000 });
      console.log(database.created);
      await database.close();`;
    const run = promisify(execFile);
    // A second of processor time each.
    const count = longTests ? 4 : 2;
    const processes = Array.from({ length: count }, () =>
      run(process.execPath, ['--input-type=module', '-e', script]).then(({ stdout }) => stdout.trim()),
    );
    expect((await Promise.all(processes)).sort()).toEqual([...Array(count - 1).fill('false'), 'true']);
  });
});
