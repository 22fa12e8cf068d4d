import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { type ReloadFixture, refused, reloadFixture } from '../../../testkit/configuration/safe-reload.ts';
import { silentLog } from '../../../testkit/silent-log.ts';
import { Candidate } from './live-file.ts';
import { ReloadMarker } from './reload-marker.ts';

let fixture: ReloadFixture;
afterEach(() => fixture?.stop());

const isMarked = async () => (await readdir(fixture.folder)).includes('reload-under-way');
const request = { id: 'one', reasons: ['a test'] };

it('the reload marker exists from before HAProxy reads the new configuration until the reload is recorded', async () => {
  fixture = await reloadFixture('old\n');
  const seen: boolean[] = [];
  const { reload } = fixture.does;
  fixture.does.reload = async (text) => {
    seen.push(await isMarked());
    return await reload(text);
  };
  await fixture.safeReload.run(request);
  expect([...seen, await isMarked()]).toEqual([true, false]);
});

it('a reload of an unchanged configuration sets no marker', async () => {
  fixture = await reloadFixture('new\n');
  const seen: boolean[] = [];
  const { reload } = fixture.does;
  fixture.does.reload = async (text) => {
    seen.push(await isMarked());
    return await reload(text);
  };
  await fixture.safeReload.run(request);
  expect(seen).toEqual([false]);
});

it('the reload marker stays until a rollback has succeeded', async () => {
  fixture = await reloadFixture('old\n');
  const { reload } = fixture.does;
  fixture.does.reload = async (text) => (text === 'new\n' ? refused() : await reload(text));
  await expect(fixture.safeReload.run(request)).rejects.toThrow();
  expect(await isMarked()).toBe(false);

  fixture.does.reload = async () => refused();
  await expect(fixture.safeReload.run(request)).rejects.toThrow();
  expect(await isMarked()).toBe(true);
  const next = new ReloadMarker(join(fixture.folder, 'reload-under-way'), silentLog);
  expect(await next.find()).toBe('rendered');
});

it('a deployment that failed after its rename is rolled back', async () => {
  fixture = await reloadFixture('old\n');
  const { deploy } = Candidate.prototype;
  vi.spyOn(Candidate.prototype, 'deploy').mockImplementationOnce(async function (this: Candidate) {
    await deploy.call(this);
    throw new Error('EIO: i/o error, fsync');
  });
  await expect(fixture.safeReload.run(request)).rejects.toThrow('EIO');
  expect([await fixture.live(), fixture.loaded.at(-1), await isMarked()]).toEqual(['old\n', 'old\n', false]);
});

it('the marker of a crash stays while the reload that completes it fails', async () => {
  fixture = await reloadFixture('old\n');
  await writeFile(join(fixture.folder, 'reload-under-way'), 'rendered\n');
  await fixture.marker.find();
  vi.spyOn(Candidate.prototype, 'deploy').mockRejectedValueOnce(new Error('ENOSPC: no space left'));
  await expect(fixture.safeReload.run(request)).rejects.toThrow('ENOSPC');
  expect([await isMarked(), fixture.marker.interrupted]).toEqual([true, 'rendered']);
  await fixture.safeReload.run(request);
  expect([await isMarked(), fixture.marker.interrupted]).toEqual([false, null]);
});

it('the marker distinguishes a restored backup from a rendered text, and counts as rendered when unreadable', async () => {
  fixture = await reloadFixture('old\n');
  fixture.does.reload = async () => refused();
  const restore = { configText: 'given\n', files: [], backup: 'b1' };
  await expect(fixture.safeReload.run({ ...request, restore })).rejects.toThrow();
  const path = join(fixture.folder, 'reload-under-way');
  expect(await new ReloadMarker(path, silentLog).find()).toBe('given');
  await writeFile(path, '');
  expect(await new ReloadMarker(path, silentLog).find()).toBe('rendered');
  expect(await new ReloadMarker(`${path}-none`, silentLog).find()).toBeNull();
});
