import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sql as raw } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type BlockingKit,
  caller,
  entryOf,
  openBlocking,
  temporaryFolder,
  toBlock,
} from '../../../testkit/blocking.ts';
import { eventually, within } from '../../../testkit/conditions.ts';
import { type StoppedTime, stopTime } from '../../../testkit/stop-time.ts';
import { countsExactly } from '../../../testkit/store/claim-counts.ts';
import { TurnQueue } from '../../concurrency/turn-queue.ts';
import { readMapFileHeader } from '../../haproxy/map-file/map-file.ts';
import { asMapFileError } from '../../haproxy/map-file/map-file-error.ts';
import { BulkStore } from '../../store/bulk-store.ts';
import { InstanceStore } from '../../store/instance-store.ts';
import { changeFailure } from './change-failure.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let kit: BlockingKit;

beforeEach(async () => {
  folder = await temporaryFolder();
  // Without a master: only database and file matter here.
  kit = await openBlocking({ folder: folder.path, masterSocket: join(folder.path, 'm.sock') });
  await kit.keeper.updateBlockedIpsMap();
});
afterEach(async () => {
  await kit.close();
  await folder.remove();
  vi.restoreAllMocks();
});

const block = (ip: string) => kit.blockedSet.block(toBlock(ip), caller());
const unblock = async (ip: string) => (await kit.blockedSet.unblock(entryOf(ip), caller())).answer;
const fill = (count: number, from = '10.1') =>
  kit.blockedSet.batch(
    {
      add: Array.from({ length: count }, (_, index) => ({
        index,
        request: toBlock(`${from}.${index >> 8}.${index & 255}`),
      })),
      remove: [],
      rejected: [],
    },
    caller(),
  );
const sql = (text: string) => {
  const database = new SqliteDatabase(kit.databaseFile);
  database.exec(text);
  database.close();
};
const databaseTexts = async () => (await kit.store.scanTexts(null, 1_000_000)).texts.map((text) => `${text} 1`);
const sameEverywhere = async () => {
  const texts = await databaseTexts();
  expect((await kit.fileEntries()).sort()).toEqual([...texts].sort());
  expect(kit.keeper.expected.total).toBe(texts.length);
  expect(await kit.store.count()).toBe(texts.length);
  const generation = await (await InstanceStore.open(kit.database)).generation();
  const { header, last } = await readMapFileHeader(kit.mapPath);
  expect(last).toBe(generation);
  // Of the body, which an earlier rewrite may have written.
  expect(header?.generation).toBeLessThanOrEqual(generation);
  return { body: header?.generation, generation };
};

/** So slow that a turn has time for one page. */
const slowPages = (time: StoppedTime, onPage: () => void = () => undefined) => {
  const { scanTexts } = kit.store;
  vi.spyOn(kit.store, 'scanTexts').mockImplementation(async (...args) => {
    onPage();
    const page = await scanTexts.apply(kit.store, args);
    time.standStill(15);
    return page;
  });
};

describe('the keeper of the map file', () => {
  it('reads as many fast pages as fit into a turn, or one slow page', async () => {
    await fill(12_000);
    using time = stopTime();
    const turns = vi.spyOn(TurnQueue.prototype, 'take');
    await kit.keeper.updateBlockedIpsMap();
    // Reads six pages, and that none is left; the second turn replaces the file.
    expect(turns.mock.calls.length).toBe(2);
    turns.mockClear();
    slowPages(time);
    await kit.keeper.updateBlockedIpsMap();
    expect(turns.mock.calls.length).toBe(8);
    await sameEverywhere();
  });

  it('rewrites during changes without losing or reviving an entry', async () => {
    await fill(12_000);
    using time = stopTime();
    slowPages(time);
    let going = true;
    const rewrites = (async () => {
      for (let n = 0; n < 4; n += 1) await kit.keeper.updateBlockedIpsMap();
      going = false;
    })();
    for (let n = 0; going; n += 1) {
      // Before, after and at the rewrite's cursor.
      await Promise.all([
        block(`9.0.${n >> 8}.${n & 255}`),
        block(`200.0.${n >> 8}.${n & 255}`),
        unblock(`10.1.${n % 46}.${(n >> 4) & 255}`),
        n % 2 === 1 ? unblock(`9.0.${(n - 1) >> 8}.${(n - 1) & 255}`) : block(`10.1.3.7`),
      ]).catch((error: { code?: number }) => expect(error.code).toBe(1100));
    }
    await rewrites;
    await sameEverywhere();
  });

  it('numbers the body by the last change made while it was read', async () => {
    await fill(12_000);
    using time = stopTime();
    const blocks: Promise<unknown>[] = [];
    slowPages(time, () => void (blocks.length === 0 && blocks.push(block('9.0.0.1'), block('200.0.0.1'))));
    await kit.keeper.updateBlockedIpsMap();
    await Promise.all(blocks);
    const { body, generation } = await sameEverywhere();
    expect(body).toBe(generation);
  });

  it('rewrites an edited file at the next change, with that change', async () => {
    await block('192.0.2.1');
    appendFileSync(kit.mapPath, '198.51.100.9 1\n');
    await block('192.0.2.2');
    await sameEverywhere();
    writeFileSync(kit.mapPath, '');
    await unblock('192.0.2.1');
    await sameEverywhere();
  });

  it('keeps a file that held more than the database: the database may have lost what was acknowledged', async () => {
    await block('10.0.0.1');
    appendFileSync(kit.mapPath, '10.9.9.9 1\n');
    await block('10.0.0.2');
    await sameEverywhere();
    const kept = readFileSync(`${kit.mapPath}.kept`, 'utf8');
    expect(kept).toContain('\n10.9.9.9 1\n');
    expect(kept).toContain('10.0.0.1 1');
    // A few extra lines, as after a crash, do not replace the copy of a larger loss.
    appendFileSync(kit.mapPath, '10.9.9.1 1\n10.9.9.2 1\n10.9.9.3 1\n');
    await block('10.0.0.3');
    expect(readFileSync(`${kit.mapPath}.kept`, 'utf8')).toContain('10.9.9.3 1');
    appendFileSync(kit.mapPath, '10.9.9.4 1\n');
    await block('10.0.0.4');
    expect(readFileSync(`${kit.mapPath}.kept`, 'utf8')).toContain('10.9.9.3 1');
    await sameEverywhere();
  });

  it('replaces a rewrite during which the file was edited', async () => {
    await fill(12_000);
    let blocked: ReturnType<typeof block> | undefined;
    using time = stopTime();
    slowPages(time, () => {
      if (blocked !== undefined) return;
      appendFileSync(kit.mapPath, '198.51.100.9 1\n');
      blocked = block('192.0.2.2');
    });
    const rewrite = kit.keeper.updateBlockedIpsMap();
    await eventually('the rewrite is under way', () => blocked !== undefined);
    expect((await blocked)?.created).toBe(true);
    // It resolves to the outcome of the rewrite that replaced it.
    expect(await rewrite).toMatchObject({ entries: 12_000 });
    await block('192.0.2.3');
    await sameEverywhere();
  });

  it('survives a requested rewrite that overlaps with one inside a turn', async () => {
    await fill(12_000);
    let outside: Promise<unknown> | undefined;
    // The change holds the turn, and reads the database for its rewrite.
    using time = stopTime();
    slowPages(time, () => {
      outside ??= kit.keeper.updateBlockedIpsMap();
    });
    appendFileSync(kit.mapPath, '198.51.100.9 1\n');
    expect((await block('192.0.2.2')).created).toBe(true);
    expect(await outside).toMatchObject({ entries: 12_001 });
    await block('192.0.2.3');
    await sameEverywhere();
  });

  it('writes a line for every acknowledged block, even if a running bulk change stored its row', async () => {
    // As after a slice of a bulk change: the row exists, its line does not yet.
    await kit.store.applyGroup(
      [{ op: 'add', entry: entryOf('192.0.2.7'), expiry: { kind: 'keep' } }],
      new Date(),
      () => undefined,
    );
    expect(await kit.fileEntries()).not.toContain('192.0.2.7 1');
    expect((await block('192.0.2.7')).created).toBe(false);
    expect(await kit.fileEntries()).toContain('192.0.2.7 1');
  });

  it('keeps the file of another database, names the confirmation, and answers blocks with 503', async () => {
    await block('192.0.2.1');
    const header = readFileSync(kit.mapPath, 'utf8').split('\n', 1)[0]!;
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(header)![0];
    const foreign = `${header.replace(id, '00000000-0000-4000-8000-000000000000')}\n198.51.100.9 1\n`;
    writeFileSync(kit.mapPath, foreign);
    await expect(kit.keeper.updateBlockedIpsMap()).rejects.toMatchObject({ code: 6008 });
    await expect(block('192.0.2.2')).rejects.toMatchObject({ code: 6004 });
    await expect(block('192.0.2.2')).rejects.toThrow(/--adopt-map-file.*accept_map_file/);
    expect(await kit.store.get('192.0.2.2')).toBeNull();
    expect(readFileSync(kit.mapPath, 'utf8')).toBe(foreign);
    await kit.keeper.updateBlockedIpsMap({ acceptForeignFile: true });
    const kept = readdirSync(folder.path).filter((name) => name.includes('.kept'));
    expect(kept.map((name) => readFileSync(join(folder.path, name), 'utf8'))).toEqual([foreign]);
    await block('192.0.2.2');
    await sameEverywhere();
    // A file without entries of its own needs no copy.
    const empty = `${foreign.split('\n', 1)[0]}\n192.0.2.1 1\n`;
    writeFileSync(kit.mapPath, empty);
    await kit.keeper.updateBlockedIpsMap({ acceptForeignFile: true });
    expect(readdirSync(folder.path).filter((name) => name.includes('.kept'))).toEqual(kept);
  });

  it('does not rewrite if more than half of the file’s lines would be lost', async () => {
    await fill(40);
    const lines = Array.from({ length: 100 }, (_, n) => `10.9.0.${n} 1\n`).join('');
    writeFileSync(kit.mapPath, lines);
    await expect(kit.keeper.updateBlockedIpsMap()).rejects.toMatchObject({
      code: 6006,
      detail: expect.stringMatching(/--adopt-map-file.*--accept-map-file.*accept_map_file=true/),
    });
    expect(readFileSync(kit.mapPath, 'utf8')).toBe(lines);
    await kit.keeper.updateBlockedIpsMap({ acceptForeignFile: true });
    await sameEverywhere();
  });

  const nineTenths = Array.from({ length: 108 }, (_, index) => `10.1.0.${index}`);
  const unblockNineTenths = () =>
    kit.writer.change(
      nineTenths.map((text) => ({ op: 'remove' as const, entry: entryOf(text) })),
      'urgent',
      within(60_000),
      { operation: 'batch', caller: caller() },
    );
  const granted = async () => await new BulkStore(kit.database).anyFinished();

  it('removes at the next start the lines of a group that died after it removed most of the set', async () => {
    await fill(120);
    await kit.store.applyGroup(
      nineTenths.map((text) => ({ op: 'remove' as const, entry: entryOf(text) })),
      new Date(),
      () => undefined,
    );
    await kit.close();
    kit = await openBlocking({ folder: folder.path, masterSocket: join(folder.path, 'm.sock') });
    expect(await kit.fileEntries()).toHaveLength(120);
    await kit.keeper.updateBlockedIpsMap({ acceptShrink: await kit.bulk.finishInterrupted() });
    await kit.bulk.forgetFinished();
    expect(await kit.fileEntries()).toHaveLength(12);
    expect(await granted()).toBe(false);
  });

  it('writes the file after a group that removed most of the set, although the file was edited', async () => {
    await fill(120);
    appendFileSync(kit.mapPath, '# a note\n');
    await unblockNineTenths();
    await sameEverywhere();
    expect(await kit.fileEntries()).toHaveLength(12);
    expect(await granted()).toBe(false);
  });

  it('removes the lines once the file is usable again, without another confirmation', async () => {
    await fill(120);
    appendFileSync(kit.mapPath, '# a note\n');
    vi.spyOn(kit.keeper.file, 'beginRewrite').mockRejectedValueOnce(new Error('the disk is full'));
    await expect(unblockNineTenths()).rejects.toMatchObject({ status: 503 });
    expect(await granted()).toBe(true);
    await block('192.0.2.1');
    await sameEverywhere();
    expect(await granted()).toBe(false);
  });

  it('does not rewrite after another process deleted more than half of the rows', async () => {
    await fill(200);
    const before = readFileSync(kit.mapPath, 'utf8');
    sql('DELETE FROM blocked_ips');
    await expect(kit.keeper.updateBlockedIpsMap()).rejects.toMatchObject({
      code: 6006,
      detail: expect.stringMatching(/--adopt-map-file.*--accept-map-file.*accept_map_file=true/),
    });
    expect(readFileSync(kit.mapPath, 'utf8')).toBe(before);
    await kit.keeper.updateBlockedIpsMap({ acceptForeignFile: true });
    await sameEverywhere();
  });

  it('adopts deleted and new rows of another process, and the changed count', async () => {
    await fill(10);
    sql(`DELETE FROM blocked_ips WHERE ip_address = '10.1.0.3';
         INSERT INTO blocked_ips(ip_address, blocked_at) VALUES ('2001:DB8::7', datetime('now')), ('nonsense', 'x')`);
    await kit.keeper.updateBlockedIpsMap();
    await sameEverywhere();
    expect(await kit.fileEntries()).toContain('2001:db8::7 1');
    const warned = kit.lines.filter((line) => line.message.includes('not addresses'));
    expect(warned).toMatchObject([{ level: 'warn', fields: { count: 1, rows: [{ ip_address: 'nonsense' }] } }]);
  });

  it('names the file once in a failure', async () => {
    const failure = asMapFileError(new Error('ENOSPC: no space left'), kit.mapPath);
    const once = `the map file ${kit.mapPath} could not be written: ENOSPC: no space left`;
    vi.spyOn(kit.keeper.file, 'beginRewrite').mockRejectedValueOnce(new Error('ENOSPC: no space left'));
    await expect(kit.keeper.updateBlockedIpsMap()).rejects.toMatchObject({ code: 6004, detail: once });
    vi.spyOn(kit.keeper.file, 'beginRewrite').mockRejectedValueOnce(failure);
    await expect(kit.keeper.updateBlockedIpsMap()).rejects.toMatchObject({ code: 6004, detail: once });
    expect(changeFailure(failure).detail).toBe(once);
    // `/health` says "map file: " before it.
    vi.spyOn(kit.keeper.file, 'state', 'get').mockReturnValue('behind');
    expect(kit.keeper.problem).toBe(`${kit.mapPath} could not be written: ENOSPC: no space left`);
  });

  it('keeps the old file and rejects blocks while a required rewrite fails', async () => {
    await block('192.0.2.1');
    const before = readFileSync(kit.mapPath, 'utf8');
    kit.keeper.markStale('a bulk change was stored but not written');
    expect(kit.keeper.problem).toMatch(/bulk change/);
    const begin = vi.spyOn(kit.keeper.file, 'beginRewrite').mockRejectedValue(new Error('no space left'));
    await expect(block('192.0.2.2')).rejects.toMatchObject({ code: 6004, retryAfterSeconds: 5 });
    expect(readFileSync(kit.mapPath, 'utf8')).toBe(before);
    begin.mockRestore();
    await block('192.0.2.2');
    expect(kit.keeper.problem).toBeNull();
    await sameEverywhere();
  });

  it('neither waits for a new count of claims, nor do changes', async () => {
    const count = Promise.withResolvers<void>();
    const counts = vi.spyOn(kit.store, 'correctCounts').mockReturnValue(count.promise);
    await kit.keeper.updateBlockedIpsMap();
    await block('192.0.2.1');
    expect(counts).toHaveBeenCalledOnce();
    count.resolve();
  });

  it('is written although claims could not be counted, which the next rewrite repeats', async () => {
    await block('192.0.2.1');
    await kit.database.claimRecount.correct();
    sql(
      "update sources set claims = 7; create trigger full before update on sources begin select raise(abort, 'full'); end",
    );
    await kit.keeper.updateBlockedIpsMap();
    const warnings = () => kit.lines.filter(({ message }) => message.startsWith('Could not count the claims'));
    await eventually('the failure is logged', () => warnings().length === 1);
    expect(kit.keeper.problem).toBeNull();
    // By the service's own connection: for the next count this is no change of another program.
    await raw`drop trigger full`.execute(kit.database.write);
    await kit.keeper.updateBlockedIpsMap();
    await eventually('the counts are right', () => countsExactly(kit.database));
    expect(warnings()).toHaveLength(1);
  });
});
