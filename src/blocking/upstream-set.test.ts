import { mkdir, readFile, rmdir, unlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller } from '../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import type { ScriptedMaster } from '../../testkit/scripted-master.ts';
import { parseUpstream, type UpstreamFields } from '../domain/upstream.ts';
import { codes } from '../errors/catalogue.ts';
import { UpstreamsStore } from '../store/upstreams-store.ts';

let close: () => Promise<void>;
let kit: BlockingKit;
let master: ScriptedMaster;

beforeEach(async () => {
  ({ kit, master, close } = await openScriptedBlocking({ loadsUpstreams: true }));
  await kit.trusted.updateTrustedIpsMap();
  await kit.upstreams.updateUpstreamMaps();
  await kit.reconciler.check(true);
});
afterEach(() => close());

const upstream = (name: string, given: Partial<UpstreamFields> = {}) => {
  const parsed = parseUpstream(name, { networks: ['10.0.3.0/24'], header: 'x-forwarded-for', ...given });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.fields));
  return parsed.upstream;
};
const put = (name: string, given?: Partial<UpstreamFields>) => kit.upstreams.put(upstream(name, given), null, caller());
const stored = { preset: null, createdAt: '', updatedAt: '', networksAt: '' };
const path = (map: 'upstreams' | 'proxy_protocol') => `${kit.mapPath}.${map}`;
const running = (map: 'upstreams' | 'proxy_protocol' = 'upstreams', worker = master.current) =>
  master
    .map(path(map), worker)
    .live()
    .map(({ key, value }) => `${key} ${value}`)
    .sort();
const file = async (map: 'upstreams' | 'proxy_protocol' = 'upstreams') =>
  (await readFile(path(map), 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('upstreams', () => {
  it('are in the database, the files and the worker, with the value of their header', async () => {
    expect(await put('lb', { chain: true, proxy_protocol: true })).toMatchObject({
      created: true,
      report: { runtime_map_updated: true },
    });
    await put('cdn', { networks: ['2001:db8::/32', '192.0.2.0/24'], header: 'cf-connecting-ip' });
    const entries = ['10.0.3.0/24 1', '192.0.2.0/24 3', '2001:db8::/32 3'];
    expect(running()).toEqual(entries);
    expect((await file()).sort()).toEqual(entries);
    expect(running('proxy_protocol')).toEqual(['10.0.3.0/24 1']);
    expect(await file('proxy_protocol')).toEqual(['10.0.3.0/24 1']);
    expect((await kit.upstreams.list()).map(({ name }) => name)).toEqual(['cdn', 'lb']);
    expect(kit.upstreams.entries.of(upstream('x', { networks: ['192.0.2.7'] }).networks[0]!)).toEqual({
      name: 'cdn',
      network: '192.0.2.0/24',
    });
  });

  it('that are replaced keep the networks that stay, with the new value', async () => {
    await put('lb', { networks: ['10.0.3.0/24', '10.0.4.0/24'], proxy_protocol: true });
    const before = master.commands.length;
    const { created, row } = await put('lb', { networks: ['10.0.4.0/24', '10.0.5.0/24'], header: 'x-real-ip' });
    expect(created).toBe(false);
    expect(row.createdAt <= row.updatedAt).toBe(true);
    expect(running()).toEqual(['10.0.4.0/24 6', '10.0.5.0/24 6']);
    expect(running('proxy_protocol')).toEqual([]);
    const sent = master.commands.slice(before).filter((command) => / (add|set|del) map /.test(command));
    expect(sent.some((command) => command.includes(' set map ') && command.endsWith('10.0.4.0/24 6'))).toBe(true);
    expect(
      sent.some(
        (command) =>
          command.includes(' del map ') && command.includes('10.0.4.0/24') && command.includes(path('upstreams')),
      ),
    ).toBe(false);
  });

  it('that are removed are gone everywhere', async () => {
    await put('lb', { proxy_protocol: true });
    expect(await kit.upstreams.remove('lb', caller())).toMatchObject({ runtime_map_updated: true });
    expect([running(), running('proxy_protocol'), await file(), await file('proxy_protocol')]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(await kit.upstreams.list()).toEqual([]);
    await expect(kit.upstreams.remove('lb', caller())).rejects.toMatchObject({ code: codes.NotFound });
  });

  it('may not share a network', async () => {
    await put('lb');
    await expect(put('cdn', { networks: ['192.0.2.0/24', '10.0.3.0/24'] })).rejects.toMatchObject({
      code: codes.NotUnique,
      members: { taken: [{ network: '10.0.3.0/24', upstream: 'lb' }] },
    });
    expect(running()).toEqual(['10.0.3.0/24 2']);
    await put('inner', { networks: ['10.0.3.7'], header: 'x-real-ip' });
    expect(running()).toEqual(['10.0.3.0/24 2', '10.0.3.7 6']);
  });

  it('have at most 10,000 networks together, but one that does not grow can always be changed', async () => {
    const store = new UpstreamsStore(kit.database);
    for (let part = 0; part < 10; part += 1) {
      const networks = Array.from({ length: 1_000 }, (_, n) => `10.${part}.${n >> 2}.${(n & 3) * 64}/26`);
      await store.put({ ...upstream(`part-${part}`, { networks }), ...stored }, new Date());
    }
    await expect(put('more', { networks: ['192.0.2.1'] })).rejects.toMatchObject({
      code: codes.InvalidUpstream,
      message: expect.stringContaining('would have 10,001 networks, and at most 10,000 are possible'),
      fields: [{ name: 'networks' }],
    });
    expect(await kit.upstreams.list()).toHaveLength(10);
    const { row } = await put('part-3', { networks: ['10.3.0.0/26'] });
    expect(row.networks).toHaveLength(1);
  });

  it('whose file cannot be written are rolled back', async () => {
    await put('lb');
    const before = await kit.upstreams.list();
    await unlink(path('upstreams'));
    await mkdir(path('upstreams'));
    await expect(put('lb', { networks: ['10.0.9.0/24'] })).rejects.toMatchObject({ code: codes.MapFileUnusable });
    await expect(put('cdn', { networks: ['10.0.8.0/24'] })).rejects.toMatchObject({ code: codes.MapFileUnusable });
    await expect(kit.upstreams.remove('lb', caller())).rejects.toMatchObject({ code: codes.MapFileUnusable });
    expect(await kit.upstreams.list()).toEqual(before);
    expect(running()).toEqual(['10.0.3.0/24 2']);
    expect(kit.upstreams.upstreams.entries()).toEqual(new Map([['10.0.3.0/24', '2']]));
    await rmdir(path('upstreams'));
  });

  it.each([
    ['another value', () => master.map(path('upstreams')).set('10.0.3.0/24', '1')],
    ['the value that blocks', () => master.map(path('upstreams')).set('10.0.4.0/24', '1')],
    ['a foreign network', () => master.map(path('upstreams')).add('203.0.113.0/24', '1')],
    ['a lost network', () => master.map(path('upstreams')).del('10.0.3.0/24')],
    ['a duplicate with another value', () => master.map(path('upstreams')).add('10.0.3.0/24', '1')],
    [
      'a foreign network that speaks PROXY protocol',
      () => master.map(path('proxy_protocol')).add('203.0.113.0/24', '1'),
    ],
  ])('are repaired in a worker with %s', async (_what, spoil) => {
    await put('lb', { networks: ['10.0.3.0/24', '10.0.4.0/24'], header: 'x-real-ip', proxy_protocol: true });
    const right = [running(), running('proxy_protocol')];
    spoil();
    await kit.reconciler.check(true);
    expect([running(), running('proxy_protocol')]).toEqual(right);
    expect(kit.registry.allInSync()).toBe(true);
  });

  it('are written again into a file that another process edited', async () => {
    await put('lb');
    await writeFile(path('upstreams'), '203.0.113.0/24 1\n');
    expect(await kit.upstreams.filesUnchanged()).toBe(false);
    await kit.reconciler.check(false);
    expect(await file()).toEqual(['10.0.3.0/24 2']);
  });

  it('reach a draining worker that has the map, and not being in one without it is no failure', async () => {
    const old = master.current;
    master.reload();
    await kit.reconciler.check(true);
    expect(await put('lb')).toMatchObject({ report: { runtime_map_updated: true, runtime_map_failures: [] } });
    expect(running('upstreams', old)).toEqual(['10.0.3.0/24 2']);
    old.maps.delete(path('upstreams'));
    expect(await put('cdn', { networks: ['192.0.2.0/24'] })).toMatchObject({
      report: { runtime_map_updated: true, runtime_map_failures: [], reload_scheduled: false },
    });
    await kit.reconciler.check(true);
    expect(kit.registry.allInSync()).toBe(true);
    expect(kit.reloads).toEqual([]);
  });

  it('that the current worker did not load are reported, with a reload', async () => {
    master.current.maps.delete(path('upstreams'));
    const { report } = await put('lb');
    expect(report).toMatchObject({ runtime_map_updated: false, reload_scheduled: true });
    expect(report.runtime_map_failures[0]).toMatchObject({ ip_address: '10.0.3.0/24' });
    expect(kit.reloads[0]).toContain('set_upstream lb');
  });
});
