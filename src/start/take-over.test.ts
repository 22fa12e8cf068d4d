// A database that is older than its map file: restored from a copy, or a crash between a line and its commit.
import filesystem, { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type BlockingKit, caller, entryOf, openBlocking, temporaryFolder, toBlock } from '../../testkit/blocking.ts';
import { readMapFileHeader } from '../haproxy/map-file/map-file.ts';
import { BulkStore } from '../store/bulk-store.ts';
import { InstanceStore } from '../store/instance-store.ts';
import { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import { logTrustDrift } from './first-import.ts';
import { recoverFromMapFile, takeOverMapFiles } from './take-over.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let kit: BlockingKit;
let instance: InstanceStore;
let clock: Date;

interface Ways {
  readonly acceptMapFile?: boolean;
  readonly adoptMapFile?: boolean;
}

async function open(): Promise<void> {
  // No master: only database and file are tested.
  kit = await openBlocking({ folder: folder.path, masterSocket: join(folder.path, 'm.sock'), now: () => clock });
  instance = await InstanceStore.open(kit.database);
}
/** Like a start, up to the map file. */
async function start({ acceptMapFile = false, adoptMapFile = false }: Ways = {}) {
  await open();
  const settings = { blockedMap: kit.mapPath, trustedMap: `${kit.mapPath}.trusted`, acceptMapFile, adoptMapFile };
  const { store } = kit;
  const done = await recoverFromMapFile({
    settings,
    instance,
    store,
    log: logOf(),
    now: () => clock,
    knownInstance: true,
  });
  const acceptShrink = await kit.bulk.finishInterrupted();
  await kit.keeper.updateBlockedIpsMap({ acceptForeignFile: acceptMapFile || adoptMapFile, acceptShrink });
  await kit.bulk.forgetFinished();
  return done;
}
const logOf = () => ({
  info: () => undefined,
  warn: (message: string, fields: object = {}) =>
    void kit.lines.push({ level: 'warn', message, fields: { ...fields } }),
  error: () => undefined,
});

beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new Date('2026-11-22T12:00:00.000Z');
  await start();
});
afterEach(async () => {
  await kit.close();
  await folder.remove();
});

const block = (ip: string, more = {}) => kit.blockedSet.block(toBlock(ip, more), caller());
const unblock = async (ip: string) => (await kit.blockedSet.unblock(entryOf(ip), caller())).answer;
const blocked = async () => (await kit.store.scanTexts(null, 1_000_000)).texts;
const lines = async () => (await kit.fileEntries()).sort();
const asLines = (ips: readonly string[]) => ips.map((ip) => `${ip} 1`).sort();
const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}.${n >> 8}.${n & 255}`);
const staged = (ip: string) => ({ op: 'add' as const, entry: entryOf(ip), expiry: { kind: 'keep' as const } });
const bulk = (ips: readonly string[], replace = false) =>
  kit.bulk.run(
    (async function* () {
      yield ips.map(staged);
    })(),
    { replace, allowShrink: true, requestedBy: 'test' },
  );

const keptFiles = async () => (await readdir(folder.path)).filter((name) => name.includes('.kept')).sort();
const copy = () => join(folder.path, 'copy.sqlite');
/** Like `sqlite3 … ".backup copy"` while the service runs. */
async function backUp(): Promise<void> {
  const database = new SqliteDatabase(kit.databaseFile, { readonly: true });
  await database.backup(copy());
  database.close();
}
async function putBack(from = copy()): Promise<void> {
  await kit.close();
  for (const end of ['-wal', '-shm']) await rm(`${kit.databaseFile}${end}`, { force: true });
  await copyFile(from, kit.databaseFile);
}
async function expectRefused(): Promise<void> {
  const before = [await readFile(kit.mapPath), await readFile(kit.databaseFile)];
  await expect(start()).rejects.toMatchObject({
    code: 6008,
    detail: expect.stringMatching(/newer state of this database.*--adopt-map-file.*--accept-map-file/),
  });
  await kit.close();
  expect([await readFile(kit.mapPath), await readFile(kit.databaseFile)]).toEqual(before);
}

describe('a restored copy of the database', () => {
  beforeEach(async () => {
    await block('10.1.0.1', { reason: 'old' });
    await block('10.1.0.2');
    await backUp();
  });

  it('is used unchanged if no change came after it, however often the service was started', async () => {
    await kit.close();
    for (let starts = 0; starts < 3; starts += 1) {
      expect(await start()).toBeNull();
      await kit.close();
    }
    await putBack();
    expect(await start()).toBeNull();
    expect(await lines()).toEqual(['10.1.0.1 1', '10.1.0.2 1']);
  });

  const changes: [what: string, change: () => Promise<unknown>][] = [
    ['two blocks', () => block('10.2.0.1').then(() => block('10.2.0.2'))],
    ['a block and its unblock', () => block('10.2.0.1').then(() => unblock('10.2.0.1'))],
    ['two unblocks', () => unblock('10.1.0.1').then(() => unblock('10.1.0.2'))],
    [
      'two changes of reasons, which need no line',
      async () => {
        await block('10.1.0.1', { reason: 'new' });
        await block('10.1.0.1', { reason: 'newer' });
      },
    ],
    ['a bulk change of several slices', () => bulk(numbered('10.3', 3_000))],
    ['a bulk change of several slices that removes', () => bulk(numbered('10.3', 3_000), true)],
    [
      'a block that expired',
      async () => {
        await block('10.2.0.1', { expiry: { kind: 'at', at: new Date(clock.getTime() + 1_000) } });
        clock = new Date(clock.getTime() + 2_000);
        kit.expiry.start();
        await expect.poll(lines).toEqual(['10.1.0.1 1', '10.1.0.2 1']);
      },
    ],
  ];
  const byHand = async (ip: string) => {
    const database = new SqliteDatabase(kit.databaseFile);
    database.prepare("insert into blocked_ips (ip_address, blocked_at) values (?, '2026-11-22')").run(ip);
    database.close();
    await kit.keeper.updateBlockedIpsMap();
  };
  changes.push(['two rows inserted by hand', () => byHand('10.2.0.1').then(() => byHand('10.2.0.2'))]);
  it.each(changes)('is refused after %s with both remedies, and nothing is changed', async (_what, change) => {
    await change();
    await putBack();
    await expectRefused();
    await start({ acceptMapFile: true });
  });

  it('keeps later changes as blocks on request, whatever rewrote the map file', async () => {
    await block('10.2.0.1', { reason: 'lost' });
    await kit.keeper.updateBlockedIpsMap();
    await block('10.2.0.2');
    await unblock('10.1.0.2');
    await putBack();
    await expectRefused();
    expect(await start({ adoptMapFile: true })).toMatchObject({ imported: 2, refused: 0 });
    expect(await blocked()).toEqual(['10.1.0.1', '10.1.0.2', '10.2.0.1', '10.2.0.2']);
    expect(await lines()).toEqual(asLines(await blocked()));
    expect(await kit.store.get('10.2.0.1')).toMatchObject({ blocked_by: 'recovered:map-file', expires_at: null });
    expect(await kit.store.get('10.1.0.1')).toMatchObject({ blocked_by: 'test', reason: 'old' });
    await kit.close();
    expect(await start()).toBeNull();
  });

  it('keeps an address that was blocked again after it expired in the copy', async () => {
    const end = new Date(clock.getTime() + 3_600_000);
    await block('10.2.0.1', { expiry: { kind: 'at', at: end } });
    await backUp();
    clock = new Date(end.getTime() + 86_400_000);
    const expired = { op: 'expire' as const, entry: entryOf('10.2.0.1'), now: clock.toISOString() };
    const outcome = await kit.writer.change([expired], 'urgent', performance.now() + 100, {
      operation: 'batch',
      caller: caller(),
    });
    expect(outcome.effects).toMatchObject([{ removed: { ip_address: '10.2.0.1' } }]);
    await block('10.2.0.1');
    await putBack();
    expect(await start({ adoptMapFile: true })).toMatchObject({ imported: 1 });
    const recovered = { blocked_by: 'recovered:map-file', blocked_at: clock.toISOString(), expires_at: null };
    expect(await kit.store.get('10.2.0.1')).toMatchObject(recovered);
    kit.expiry.start();
    await block('10.2.0.2', { expiry: { kind: 'at', at: new Date(clock.getTime() - 1) } });
    await expect.poll(lines).toEqual(['10.1.0.1 1', '10.1.0.2 1', '10.2.0.1 1']);
  });

  it('drops later changes on request', async () => {
    for (const ip of ['10.2.0.1', '10.2.0.2']) await block(ip);
    await putBack();
    await expectRefused();
    await start({ acceptMapFile: true });
    expect(await lines()).toEqual(['10.1.0.1 1', '10.1.0.2 1']);
    const [kept] = await keptFiles();
    expect(await readFile(join(folder.path, kept!), 'latin1')).toContain('\n10.2.0.2 1 ');
    await kit.close();
    expect(await start()).toBeNull();
    expect(await keptFiles()).toEqual([kept]);
  });

  it('saves the map file before it drops changes, also if the file has fewer entries than the copy', async () => {
    await writeFile(`${kit.mapPath}.kept`, asLines(numbered('10.8', 9)).join('\n'));
    for (const ip of ['10.1.0.1', '10.1.0.2']) await unblock(ip);
    await block('10.2.0.1');
    const { last } = await readMapFileHeader(kit.mapPath);
    // Another file of the same name.
    await writeFile(`${kit.mapPath}.kept-${last}`, 'mine');
    await putBack();
    await start({ acceptMapFile: true });
    expect(await lines()).toEqual(['10.1.0.1 1', '10.1.0.2 1']);
    const name = `${kit.mapPath}.kept-${last}`;
    expect(await readFile(`${name}-2`, 'latin1')).toContain('\n10.2.0.1 1 ');
    expect(await readFile(name, 'latin1')).toBe('mine');
    expect(kit.lines).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ kept: `${name}-2` }) }),
    );
    // A sync that discards nothing keeps no copy.
    await kit.keeper.updateBlockedIpsMap({ acceptForeignFile: true });
    expect(await keptFiles()).toHaveLength(3);
  });

  it('drops nothing that cannot be saved first', async () => {
    for (const ip of ['10.2.0.1', '10.2.0.2']) await block(ip);
    await putBack();
    const before = await readFile(kit.mapPath);
    const refusal = Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
    // Root may link everywhere: no real file system refuses it here.
    const { link } = filesystem;
    filesystem.link = () => Promise.reject(refusal);
    syncBuiltinESMExports();
    onTestFinished(() => {
      filesystem.link = link;
      syncBuiltinESMExports();
    });
    await expect(start({ acceptMapFile: true })).rejects.toMatchObject({
      code: 6004,
      detail: expect.stringMatching(/could not be kept as .*EPERM.*nothing was changed/),
    });
    expect(await readFile(kit.mapPath)).toEqual(before);
    filesystem.link = link;
    syncBuiltinESMExports();
    await kit.close();
    await start({ acceptMapFile: true });
  });

  it('counts as older once the database that it replaced is restored', async () => {
    for (const ip of ['10.2.0.1', '10.2.0.2']) await block(ip);
    const newer = join(folder.path, 'newer.sqlite');
    await kit.close();
    await copyFile(kit.databaseFile, newer);
    await open();
    await putBack();
    await start({ acceptMapFile: true });
    await block('10.4.0.1');
    await putBack(newer);
    expect(await start()).toMatchObject({ imported: 1 });
    expect(await blocked()).toContain('10.4.0.1');
    await block('10.4.0.2');
    await block('10.4.0.3');
    await putBack(newer);
    await expectRefused();
    await start({ adoptMapFile: true });
  });

  it('without the last change keeps its lines as blocks and starts', async () => {
    await kit.writer.change(
      ['10.2.0.1', '10.2.0.2'].map((ip) => ({ op: 'add', entry: entryOf(ip), expiry: { kind: 'permanent' } })),
      'urgent',
      performance.now() + 100,
      { operation: 'batch', caller: caller() },
    );
    await putBack();
    expect(await start()).toMatchObject({ imported: 2 });
    expect(await lines()).toEqual(asLines(['10.1.0.1', '10.1.0.2', '10.2.0.1', '10.2.0.2']));
    expect(await kit.store.get('10.2.0.1')).toMatchObject({ blocked_by: 'recovered:map-file', expires_at: null });
    expect(kit.lines).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('keeping its lines as blocks') }),
    );
  });

  it('without the last slice of a bulk change keeps its lines as blocks and starts', async () => {
    const added = numbered('10.3', 200);
    await bulk(added);
    await putBack();
    expect(await start()).toMatchObject({ imported: 200 });
    expect(await lines()).toEqual(asLines(['10.1.0.1', '10.1.0.2', ...added]));
  });

  it('without the last unblock blocks that address again and starts', async () => {
    await unblock('10.1.0.2');
    await putBack();
    expect(await start()).toMatchObject({ imported: 0 });
    expect(await lines()).toEqual(['10.1.0.1 1', '10.1.0.2 1']);
    await kit.close();
    expect(await start()).toBeNull();
  });
});

describe('a crash', () => {
  /** Crashes with lines of these changes in the file and no row in the database. */
  async function dieAfterLines(...changes: string[][]): Promise<void> {
    let generation = await instance.generation();
    for (const ips of changes) await kit.keeper.file.add(ips, ++generation);
    await kit.close();
  }

  it('between the line and the commit leaves a block', async () => {
    await block('192.0.2.1');
    await dieAfterLines(['192.0.2.2', '192.0.2.3']);
    expect(await start()).toMatchObject({ imported: 2 });
    expect(await lines()).toEqual(asLines(['192.0.2.1', '192.0.2.2', '192.0.2.3']));
    expect(await kit.store.get('192.0.2.2')).toMatchObject({ blocked_by: 'recovered:map-file' });
    await kit.close();
    expect(await start()).toBeNull();
  });

  it('after lines of two changes whose rows are lost is refused', async () => {
    await block('192.0.2.1');
    await dieAfterLines(['192.0.2.2'], ['192.0.2.3']);
    await expectRefused();
    await start({ adoptMapFile: true });
    expect(await blocked()).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  });

  it('between an unblock’s commit and its line leaves no block', async () => {
    for (const ip of ['192.0.2.1', '192.0.2.2']) await block(ip);
    await kit.store.applyGroup([{ op: 'remove', entry: entryOf('192.0.2.1') }], clock, () => undefined);
    await kit.close();
    expect(await start()).toBeNull();
    expect(await lines()).toEqual(['192.0.2.2 1']);
  });

  it('between the line and the commit of a bulk removal does not restore what it removed', async () => {
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) await block(ip);
    const store = new BulkStore(kit.database);
    const id = await store.begin({ replace: true });
    await store.stage(id, [staged('192.0.2.4')]);
    await store.markReady([id]);
    // The staged rows, and one of three removals.
    for (let slice = 0; slice < 2; slice += 1) await store.applySlice(id, 1, clock, () => undefined);
    await dieAfterLines(['192.0.2.9']);
    expect(await start()).toMatchObject({ imported: 1 });
    expect(await lines()).toEqual(['192.0.2.4 1', '192.0.2.9 1']);
  });

  it('of a change that was rolled back leaves no block, and the file is not newer', async () => {
    await block('192.0.2.1');
    const generation = await instance.generation();
    await kit.keeper.file.add(['192.0.2.2'], generation + 1);
    await kit.keeper.file.remove(['192.0.2.2']);
    await kit.close();
    expect(await start()).toMatchObject({ imported: 0 });
    expect(await lines()).toEqual(['192.0.2.1 1']);
  });
});

describe('trust', () => {
  it('follows the database, and the start logs the additional entries of the file', async () => {
    const path = `${kit.mapPath}.trusted`;
    const trusted = new TrustedIpsStore(kit.database);
    const differences = async () => {
      kit.lines.length = 0;
      await logTrustDrift(path, trusted, logOf());
      return kit.lines.map(({ message, fields }) => ({ message, ...fields }));
    };
    for (const ip of ['10.9.9.1', '10.9.9.2']) await trusted.put(entryOf(ip), { expiry: { kind: 'keep' } }, clock);
    expect(await differences()).toEqual([]);
    await writeFile(path, '# ours\n10.9.9.1 1\n10.9.9.2 1\n');
    expect(await differences()).toEqual([]);
    await writeFile(path, '10.9.9.2 1\n10.9.9.3 1\n');
    expect(await differences()).toMatchObject([{ only_in_file: ['10.9.9.3'], only_in_database: ['10.9.9.1'] }]);
    await rm(path);
    await mkdir(path);
    expect(await differences()).toMatchObject([{ message: 'Trusted map file cannot be read' }]);
  });
});

describe('trust for a time', () => {
  it('keeps its expiry if the database is lost, and expired entries are left out', async () => {
    const trustedMap = `${kit.mapPath}.trusted`;
    const trust = (ip: string, seconds: number | null) =>
      kit.trusted.put(
        entryOf(ip),
        { expiry: seconds === null ? { kind: 'permanent' } : { kind: 'duration', seconds } },
        caller(),
      );
    await trust('10.9.9.1', null);
    await trust('10.9.9.2', 60);
    await trust('10.9.9.3', 28_800);
    await trust('2001:db8::/32', 28_800);
    await trust('10.9.9.1', 60);
    expect(await readFile(trustedMap, 'utf8')).toBe(
      [
        '# proxy-manager trusted addresses',
        '10.9.9.1 1',
        '# until 2026-11-22T12:01:00.000Z',
        '10.9.9.2 1',
        '# until 2026-11-22T20:00:00.000Z',
        '10.9.9.3 1',
        '# until 2026-11-22T20:00:00.000Z',
        '2001:db8::/32 1',
        '',
      ].join('\n'),
    );
    await trust('10.9.9.3', 36_000);
    await kit.close();
    await rm(kit.databaseFile);
    clock = new Date('2026-11-22T12:01:00.000Z');
    await open();
    const settings = { blockedMap: `${kit.mapPath}.none`, trustedMap, acceptMapFile: false, adoptMapFile: false };
    const audited: unknown[] = [];
    const audit = { done: (row: { details?: unknown }) => void audited.push(row.details) };
    const trusted = new TrustedIpsStore(kit.database);
    kit.lines.length = 0;
    await takeOverMapFiles({
      settings,
      instance,
      store: kit.store,
      trusted,
      audit,
      log: logOf(),
      now: () => clock,
      knownInstance: false,
    });
    expect((await trusted.list()).map((row) => [row.ip_address, row.expires_at])).toEqual([
      ['10.9.9.1', null],
      ['10.9.9.3', '2026-11-22T22:00:00.000Z'],
      ['2001:db8::/32', '2026-11-22T20:00:00.000Z'],
    ]);
    expect(audited).toEqual([{ imported: 3, refused: 0, over: 1, map: 'trusted' }]);
    expect(kit.lines).toMatchObject([
      {
        message: 'Expired trusted address of the existing map file not imported',
        fields: { ip_address: '10.9.9.2', ended_at: '2026-11-22T12:01:00.000Z' },
      },
    ]);
  });
});

describe('a map file', () => {
  /** As version 0.1 wrote it: without a second line and without numbers in its slots. */
  const asBefore = (text: string, generation: number) =>
    text
      .split('\n')
      .filter((line) => !line.startsWith('# now at') && !/^#[\da-z ]{16}$/.test(line))
      .join('\n')
      .replace(/generation=\d+ */, `generation=${generation} `);

  it('of an older version is taken over silently, unless it is newer than the database', async () => {
    for (const ip of ['192.0.2.1', '192.0.2.2']) await block(ip);
    const text = await readFile(kit.mapPath, 'latin1');
    const generation = await instance.generation();
    await kit.close();
    await writeFile(kit.mapPath, asBefore(text, generation));
    expect(await readMapFileHeader(kit.mapPath)).toMatchObject({ header: { generation }, last: null });
    expect(await start()).toBeNull();
    expect(await lines()).toEqual(['192.0.2.1 1', '192.0.2.2 1']);
    await kit.close();
    await writeFile(kit.mapPath, asBefore(text, (await readMapFileHeader(kit.mapPath)).last! + 1));
    await expectRefused();
    await start({ acceptMapFile: true });
  });

  it('of an older version is replaced by one newer than every earlier copy of the database', async () => {
    await block('192.0.2.1');
    await backUp();
    const text = asBefore(await readFile(kit.mapPath, 'latin1'), await instance.generation());
    await kit.close();
    // That version blocked without a number.
    await writeFile(kit.mapPath, `${text}192.0.2.2 1\n`);
    await start();
    await putBack();
    await expectRefused();
    await start({ acceptMapFile: true });
  });

  it.each([
    ['missing', () => rm(kit.mapPath)],
    [
      'without its first lines',
      async () => {
        const text = await readFile(kit.mapPath, 'latin1');
        await writeFile(kit.mapPath, text.split('\n').slice(2).join('\n'));
      },
    ],
    ['of another hand, and blocks nothing else', () => writeFile(kit.mapPath, '192.0.2.1 1\n192.0.2.7 0\n')],
  ])('that is %s is rewritten from the database', async (_how, damage) => {
    for (const ip of ['192.0.2.1', '192.0.2.2']) await block(ip);
    await kit.close();
    await damage();
    expect(await start()).toBeNull();
    expect(await lines()).toEqual(['192.0.2.1 1', '192.0.2.2 1']);
  });

  it('of another origin is dropped only on request, and a copy of it is kept', async () => {
    const theirs = '192.0.2.1 1\n10.0.0.0/255.0.0.0 1\n198.51.100.7 1\n';
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) await block(ip);
    await kit.close();
    await writeFile(kit.mapPath, theirs);
    await expect(start()).rejects.toMatchObject({
      code: 6008,
      detail: expect.stringMatching(/not written by .* 2 entries .*10\.0\.0\.0\/8\).*--adopt-map-file.*--accept/),
    });
    await kit.close();
    expect(await readFile(kit.mapPath, 'utf8')).toBe(theirs);
    await start({ acceptMapFile: true });
    expect(await blocked()).not.toContain('198.51.100.7');
    const [kept = ''] = await keptFiles();
    expect(await readFile(join(folder.path, kept), 'utf8')).toBe(theirs);
    await kit.close();
    await writeFile(kit.mapPath, theirs);
    await start({ adoptMapFile: true });
    expect(await blocked()).toEqual(expect.arrayContaining(['10.0.0.0/8', '192.0.2.4', '198.51.100.7']));
    expect(await lines()).toEqual(asLines(await blocked()));
  });

  it('is imported once, at the first start, together with the trusted map', async () => {
    const trustedMap = `${kit.mapPath}.trusted`;
    await kit.close();
    await rm(kit.databaseFile);
    await writeFile(kit.mapPath, '10.0.0.1 1\n');
    await writeFile(trustedMap, '# mine\n10.9.0.0/16 1\n10.9.9.9 0\nnonsense 1\n10.8.0.1\n');
    await open();
    const settings = { blockedMap: kit.mapPath, trustedMap, acceptMapFile: false, adoptMapFile: false };
    const audited: unknown[] = [];
    const audit = { done: (row: { details?: unknown }) => void audited.push(row.details) };
    const parts = { settings, instance, store: kit.store, log: logOf(), now: () => clock, knownInstance: false };
    await takeOverMapFiles({ ...parts, trusted: new TrustedIpsStore(kit.database), audit });
    expect(await blocked()).toEqual(['10.0.0.1']);
    const taken = await new TrustedIpsStore(kit.database).list();
    expect(taken.map((row) => [row.ip_address, row.note])).toEqual([
      ['10.8.0.1', 'from the map file'],
      ['10.9.0.0/16', 'from the map file'],
    ]);
    expect(audited).toEqual([
      { imported: 1, refused: 0 },
      { imported: 2, refused: 2, over: 0, map: 'trusted' },
    ]);
    await kit.keeper.updateBlockedIpsMap({ acceptForeignFile: true });
    await new TrustedIpsStore(kit.database).remove(entryOf('10.8.0.1'), clock);
    await takeOverMapFiles({ ...parts, trusted: new TrustedIpsStore(kit.database), audit });
    expect(await new TrustedIpsStore(kit.database).get('10.8.0.1')).toBeNull();
  });
});
