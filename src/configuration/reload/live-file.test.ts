import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codes } from '../../errors/catalogue.ts';
import { LiveFile } from './live-file.ts';

let folder: string;
let path: string;
let live: LiveFile;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-live-'));
  path = join(folder, 'proxy.cfg');
  live = new LiveFile(path);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the live configuration', () => {
  it('is null without a file, and otherwise its exact bytes, including a byte order mark', async () => {
    expect(await live.read()).toBeNull();
    await writeFile(path, '\ufeff# ü\r\nno end');
    expect(await live.read()).toBe('\ufeff# ü\r\nno end');
  });

  it('that is not UTF-8 is refused with its path and what to do', async () => {
    await writeFile(path, Buffer.from([0x23, 0xfc, 0x0a]));
    await expect(live.read()).rejects.toMatchObject({
      code: codes.ConfigurationFilesUnusable,
      message: expect.stringMatching(/proxy\.cfg is not UTF-8.*iconv/),
    });
  });

  it('that cannot be read is a 503 with the reason', async () => {
    await rm(path, { force: true });
    await symlink(path, path);
    await expect(live.read()).rejects.toMatchObject({ status: 503, message: expect.stringContaining('ELOOP') });
  });

  it('is unchanged by a candidate until its deployment, and then equals it, including the mode', async () => {
    await writeFile(path, 'old\n');
    await chmod(path, 0o604);
    const candidate = await live.stage('new\n');
    expect(await live.read()).toBe('old\n');
    expect(await readFile(candidate.path, 'utf8')).toBe('new\n');
    await candidate.deploy();
    expect(await live.read()).toBe('new\n');
    expect((await stat(path)).mode & 0o777).toBe(0o604);
    expect(await readdir(folder)).toEqual(['proxy.cfg']);
  });

  it('is not replaced by a candidate that changed after it was written', async () => {
    await writeFile(path, 'old\n');
    const candidate = await live.stage('new\n');
    await writeFile(candidate.path, 'forged\n');
    await expect(candidate.deploy()).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('changed'),
    });
    expect(await live.read()).toBe('old\n');
    expect(await readdir(folder)).toEqual(['proxy.cfg']);
  });

  it('gives the candidate the live file’s mode, whatever a crash left in its place', async () => {
    await writeFile(path, 'old\n');
    await chmod(path, 0o640);
    await writeFile(`${path}.candidate`, 'left', { mode: 0o600 });
    const candidate = await live.stage('new\n');
    expect((await stat(candidate.path)).mode & 0o777).toBe(0o640);
    await candidate.discard();
    await candidate.discard();
    expect(await readdir(folder)).toEqual(['proxy.cfg']);
  });
});
