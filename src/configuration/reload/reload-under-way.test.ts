import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { type ReloadFixture, refused, reloadFixture } from '../../../testkit/configuration/safe-reload.ts';
import { Candidate } from './live-file.ts';
import { ReloadUnderWay } from './reload-under-way.ts';

let fixture: ReloadFixture;
afterEach(() => fixture?.stop());

const noted = async () => (await readdir(fixture.folder)).includes('reload-under-way');
const request = { id: 'one', reasons: ['a test'] };

it('is told from before the proxy reads the new configuration until the reload was recorded', async () => {
  fixture = await reloadFixture('old\n');
  const seen: boolean[] = [];
  const { reload } = fixture.does;
  fixture.does.reload = async (text) => {
    seen.push(await noted());
    return await reload(text);
  };
  await fixture.safeReload.run(request);
  expect([...seen, await noted()]).toEqual([true, false]);
});

it('is not told of a reload that changes nothing', async () => {
  fixture = await reloadFixture('new\n');
  const seen: boolean[] = [];
  const { reload } = fixture.does;
  fixture.does.reload = async (text) => {
    seen.push(await noted());
    return await reload(text);
  };
  await fixture.safeReload.run(request);
  expect(seen).toEqual([false]);
});

it('is over when the old configuration is back in force, and not while it is not', async () => {
  fixture = await reloadFixture('old\n');
  const { reload } = fixture.does;
  fixture.does.reload = async (text) => (text === 'new\n' ? refused() : await reload(text));
  await expect(fixture.safeReload.run(request)).rejects.toThrow();
  expect(await noted()).toBe(false);

  fixture.does.reload = async () => refused();
  await expect(fixture.safeReload.run(request)).rejects.toThrow();
  expect(await noted()).toBe(true);
  const next = new ReloadUnderWay(join(fixture.folder, 'reload-under-way'));
  expect(await next.find()).toBe('rendered');
});

it('is undone when the new configuration is in place and not known to be durable', async () => {
  fixture = await reloadFixture('old\n');
  const { deploy } = Candidate.prototype;
  vi.spyOn(Candidate.prototype, 'deploy').mockImplementationOnce(async function (this: Candidate) {
    await deploy.call(this);
    throw new Error('EIO: i/o error, fsync');
  });
  await expect(fixture.safeReload.run(request)).rejects.toThrow('EIO');
  expect([await fixture.live(), fixture.loaded.at(-1), await noted()]).toEqual(['old\n', 'old\n', false]);
});

it('of a crash is not forgotten when what makes it good could not be put in place', async () => {
  fixture = await reloadFixture('old\n');
  await writeFile(join(fixture.folder, 'reload-under-way'), 'rendered\n');
  await fixture.underWay.find();
  vi.spyOn(Candidate.prototype, 'deploy').mockRejectedValueOnce(new Error('ENOSPC: no space left'));
  await expect(fixture.safeReload.run(request)).rejects.toThrow('ENOSPC');
  expect([await noted(), fixture.underWay.interrupted]).toEqual([true, 'rendered']);
  await fixture.safeReload.run(request);
  expect([await noted(), fixture.underWay.interrupted]).toEqual([false, null]);
});

it('of a text of its own is told apart, and what cannot be understood was one of the database', async () => {
  fixture = await reloadFixture('old\n');
  fixture.does.reload = async () => refused();
  const restore = { configText: 'given\n', files: [], backup: 'b1' };
  await expect(fixture.safeReload.run({ ...request, restore })).rejects.toThrow();
  const path = join(fixture.folder, 'reload-under-way');
  expect(await new ReloadUnderWay(path).find()).toBe('given');
  await writeFile(path, '');
  expect(await new ReloadUnderWay(path).find()).toBe('rendered');
  expect(await new ReloadUnderWay(`${path}-none`).find()).toBeNull();
});
