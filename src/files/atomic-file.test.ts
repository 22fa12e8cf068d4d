import { spawnSync } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { removeStaleTemporaries, temporaryPath, writeFileAtomically, writeSecretFile } from './atomic-file.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'atomic-file-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;

describe('an atomic write', () => {
  test('an atomic write creates a file with the default mode, whatever the umask', async () => {
    const path = join(await folder(), 'proxy.cfg');
    await writeFileAtomically(path, 'global\n');
    expect(await readFile(path, 'utf8')).toBe('global\n');
    expect(await modeOf(path)).toBe(0o640);
  });

  test('an atomic write creates a file with the requested mode', async () => {
    const path = join(await folder(), 'proxy.cfg');
    await writeFileAtomically(path, Buffer.from('global\n'), { mode: 0o666 });
    expect(await modeOf(path)).toBe(0o666);
  });

  test('an atomic write keeps the mode of an existing file and replaces its inode', async () => {
    const path = join(await folder(), 'proxy.cfg');
    await writeFile(path, 'old');
    await chmod(path, 0o604);
    const before = await stat(path);
    await writeFileAtomically(path, 'new', { mode: 0o600 });
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await modeOf(path)).toBe(0o604);
    expect((await stat(path)).ino).not.toBe(before.ino);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'an atomic write keeps the owner of an existing file, unless keepOwner is false',
    async () => {
      const path = join(await folder(), 'proxy.cfg');
      await writeFile(path, 'old');
      await chown(path, 12345, 23456);
      await writeFileAtomically(path, 'new');
      expect(await stat(path)).toMatchObject({ uid: 12345, gid: 23456 });
      await writeFileAtomically(path, 'newer', { keepOwner: false });
      expect((await stat(path)).uid).toBe(process.getuid?.());
    },
  );

  test('an atomic write replaces the target of a symbolic link, not the link', async () => {
    const place = await folder();
    await writeFile(join(place, 'real.cfg'), 'old');
    await symlink('real.cfg', join(place, 'proxy.cfg'));
    await writeFileAtomically(join(place, 'proxy.cfg'), 'new');
    expect((await lstat(join(place, 'proxy.cfg'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(place, 'real.cfg'), 'utf8')).toBe('new');
  });

  test('a failed atomic write leaves the old file and no temporary file', async () => {
    const place = await folder();
    await mkdir(join(place, 'proxy.cfg'));
    await expect(writeFileAtomically(join(place, 'proxy.cfg'), 'new')).rejects.toThrow('not a regular file');
    expect(await readdir(place)).toEqual(['proxy.cfg']);
  });

  test('an atomic write into a missing folder rejects with ENOENT', async () => {
    await expect(writeFileAtomically(join(await folder(), 'away', 'x'), 'new')).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});

describe('a secret file', () => {
  test.each([0, 0o077])('a secret file is readable by its owner alone, with umask %o', async (umask) => {
    const path = join(await folder(), 'api-key');
    const mask = process.umask(umask);
    await writeSecretFile(path, 'secret\n').finally(() => process.umask(mask));
    expect(await readFile(path, 'utf8')).toBe('secret\n');
    expect(await modeOf(path)).toBe(0o600);
  });

  test('a secret file takes neither mode nor owner of the file it replaces', async () => {
    const place = await folder();
    const path = join(place, 'api-key');
    await writeFile(path, 'bait', { mode: 0o666 });
    await chmod(path, 0o666);
    if (process.getuid?.() === 0) await chown(path, 65_534, 65_534);
    await writeSecretFile(path, 'secret\n');
    expect(await modeOf(path)).toBe(0o600);
    expect((await stat(path)).uid).toBe(process.getuid?.());
    expect(await readdir(place)).toEqual(['api-key']);
  });

  test('a secret file replaces a link and leaves its target unchanged', async () => {
    const place = await folder();
    await writeFile(join(place, 'target'), 'theirs');
    await symlink(join(place, 'target'), join(place, 'api-key'));
    await writeSecretFile(join(place, 'api-key'), 'secret\n');
    expect((await lstat(join(place, 'api-key'))).isFile()).toBe(true);
    expect(await readFile(join(place, 'target'), 'utf8')).toBe('theirs');
  });
});

describe('stale temporary files', () => {
  test('temporary files of dead processes and of this pid are removed, those of living processes stay', async () => {
    const place = await folder();
    const target = join(place, 'blocked_ips.map');
    const deadPid = spawnSync('true').pid;
    const keep = [
      `.blocked_ips.map.${process.ppid}.0123456789ab.tmp`,
      `.blocked_ips.map.${deadPid}.tmp`,
      `.trusted_ips.map.${deadPid}.0123456789ab.tmp`,
      'blocked_ips.map',
    ];
    const stale = [`.blocked_ips.map.${deadPid}.0123456789ab.tmp`, temporaryPath(target).slice(place.length + 1)];
    for (const name of [...keep, ...stale]) await writeFile(join(place, name), '');
    const removed = await removeStaleTemporaries(target);
    expect(removed.sort()).toEqual(stale.map((name) => join(place, name)).sort());
    expect((await readdir(place)).sort()).toEqual(keep.sort());
  });
});
