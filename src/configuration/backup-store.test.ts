import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceError } from '../errors/service-error.ts';
import { BackupStore } from './backup-store.ts';

let folder: string;
let directory: string;
let store: BackupStore;
const sitesMap = { path: '/etc/proxy/sites.0123456789abcdef.map', content: 'a site_a\n' };
const request = (configText: string) => ({ reason: 'reload', configText, extraFiles: [sitesMap], mapFiles: [] });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: ServiceError) => error.code,
  );

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-backups-'));
  directory = join(folder, 'deep', 'backups');
  store = new BackupStore(directory, () => new Date('2026-11-20T12:00:00.000Z'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a set gives back what was put in, and holds copies of the maps that are there', async () => {
  const blockedMap = join(folder, 'blocked_ips.map');
  await writeFile(blockedMap, '192.0.2.1 1\n');
  const meta = await store.create({
    ...request('global\n'),
    note: 'edited by hand',
    mapFiles: [blockedMap, join(folder, 'none.map')],
  });
  expect(meta).toMatchObject({ reason: 'reload', note: 'edited by hand', created_at: '2026-11-20T12:00:00.000Z' });
  expect(await store.read(meta.id)).toEqual({ meta, configText: 'global\n', files: [sitesMap] });
  expect(meta.maps).toEqual([{ name: 'map-1-blocked_ips.map', path: blockedMap, bytes: 12 }]);
  expect(await readFile(join(directory, meta.id, 'map-1-blocked_ips.map'), 'utf8')).toBe('192.0.2.1 1\n');
  expect((await stat(join(directory, meta.id))).mode & 0o077).toBe(0);
});

test('sets are listed newest first, also those of one millisecond', async () => {
  const ids = [];
  for (const text of ['1', '2', '3']) ids.push((await store.create(request(text))).id);
  expect((await store.list()).sets.map(({ id }) => id)).toEqual(ids.reverse());
});

test('without a folder there are no sets and no known good', async () => {
  expect(await store.list()).toEqual({ sets: [], warnings: [] });
  expect(await store.readKnownGood()).toBeNull();
  expect(await store.prune()).toEqual([]);
});

test.each(['..', '../..', '.', '', 'last-known-good', '/etc', '20261120T120000000Z-00000000', 'a/../b', 'x\0'])(
  'there is no set by the name %j',
  async (id) => {
    await store.create(request('1'));
    await store.markKnownGood('1', []);
    expect(await codeOf(store.read(id))).toBe(1100);
  },
);

test('a set that was changed is refused, and says which part', async () => {
  for (const part of ['proxy.cfg', 'file-1-sites.0123456789abcdef.map', 'meta.json']) {
    const { id } = await store.create(request('global\n'));
    await appendFile(join(directory, id, part), 'x');
    await expect(store.read(id)).rejects.toThrow(part);
    expect(await codeOf(store.read(id))).toBe(1000);
  }
});

test('damaged and foreign folders are named in warnings and never removed', async () => {
  const { id } = await store.create(request('1'));
  await writeFile(join(directory, id, 'meta.json'), '{}');
  await mkdir(join(directory, 'mine'));
  await mkdir(join(directory, '20261120T120000000Z-00000000'));
  const kept = await store.create(request('2'));
  const { sets, warnings } = await store.list();
  expect(sets.map((set) => set.id)).toEqual([kept.id]);
  expect(warnings).toHaveLength(3);
  await store.prune(1);
  expect(await readdir(directory)).toEqual(expect.arrayContaining([id, 'mine', '20261120T120000000Z-00000000']));
});

test('pruning keeps the newest, and the set the last known good came from', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push((await store.create(request(`${i}`))).id);
  await store.markKnownGood('1', [], ids[1]);
  expect(await store.prune(2)).toEqual([ids[2], ids[0]]);
  expect((await store.list()).sets.map(({ id }) => id)).toEqual([ids[4], ids[3], ids[1]]);
});

test('the last known good is the latest that was marked, and nothing is left of the one before', async () => {
  await store.markKnownGood('first\n', [sitesMap]);
  await store.markKnownGood('second\n', []);
  expect(await store.readKnownGood()).toMatchObject({ configText: 'second\n', files: [] });
  expect(await readFile(join(directory, 'last-known-good', 'proxy.cfg'), 'utf8')).toBe('second\n');
  expect(await readdir(directory)).toHaveLength(2);
});

test('marking the same again writes nothing', async () => {
  await store.markKnownGood('same\n', [sitesMap]);
  const before = await store.readKnownGood();
  await store.markKnownGood('same\n', [sitesMap]);
  expect((await store.readKnownGood())?.meta.id).toBe(before?.meta.id);
  await store.markKnownGood('same\n', [{ ...sitesMap, content: 'other' }]);
  expect((await store.readKnownGood())?.meta.id).not.toBe(before?.meta.id);
});

test('a damaged last known good is refused, and the next mark makes it whole again', async () => {
  await store.markKnownGood('good\n', []);
  await appendFile(join(directory, 'last-known-good', 'proxy.cfg'), 'x');
  expect(await codeOf(store.readKnownGood())).toBe(1000);
  await store.markKnownGood('good\n', []);
  expect((await store.readKnownGood())?.configText).toBe('good\n');
});

test('what a crash left half made is no set, hides nothing, and goes with the next pruning', async () => {
  await store.markKnownGood('good\n', []);
  await mkdir(join(directory, '.building.1.20261120T120000000Z-00000000'));
  await mkdir(join(directory, '.known-good.20261120T120000000Z-00000000'));
  expect(await store.list()).toEqual({ sets: [], warnings: [] });
  await store.prune();
  expect(await readdir(directory)).toHaveLength(2);
  expect((await store.readKnownGood())?.configText).toBe('good\n');
});

test('a set that cannot be finished leaves nothing behind', async () => {
  const unwritable = { path: `/etc/proxy/${'x'.repeat(300)}.map`, content: 'a name that no file system takes' };
  await expect(store.create({ ...request('1'), extraFiles: [unwritable] })).rejects.toThrow();
  expect(await readdir(directory)).toEqual([]);
});
