import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, link, lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../testkit/conditions.ts';
import { holderIn } from './lock-file.ts';
import { ServiceLock } from './service-lock.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-lock-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the lock of a service', () => {
  it('is held by one; the second is told who works there, and on which file', () => {
    const path = join(folder, 'a.lock');
    const lock = ServiceLock.take(path, 'the map');
    expect(() => ServiceLock.take(path, 'the map')).toThrow(/another proxy-manager works on the map already.*a\.lock/);
    lock.free();
    ServiceLock.take(path, 'the map').free();
  });

  it('of another process is freed by its death, however it dies', async () => {
    const path = join(folder, 'b.lock');
    const module = JSON.stringify(join(import.meta.dirname, 'service-lock.ts'));
    const program = `import { ServiceLock } from ${module}; globalThis.lock = ServiceLock.take(${JSON.stringify(path)}, 'x'); console.log('taken'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(() => ServiceLock.take(path, 'x')).toThrow(/another proxy-manager/);
    child.kill('SIGKILL');
    const lock = await eventually('it can be taken', () => ServiceLock.take(path, 'x'));
    lock.free();
  });

  it('that cannot be made names the file and the reason', () => {
    expect(() => ServiceLock.take(join(folder, 'absent/c.lock'), 'x')).toThrow(
      /the lock .*absent\/c\.lock cannot be opened/,
    );
    expect(() => ServiceLock.take(folder, 'x')).toThrow(/the lock .* cannot be opened/);
  });

  describe('in a folder where anybody may make files', () => {
    const stranger = 65_534;
    const root = getuid?.() === 0;
    let shared: string;
    beforeEach(async () => {
      shared = await mkdtemp(join(tmpdir(), 'pm-shared-'));
      await chmod(shared, 0o1777);
    });
    afterEach(() => rm(shared, { recursive: true, force: true }));
    const path = () => join(shared, 'proxy-cli.lock');

    it.each([0, 0o022, 0o077])('is a file that nobody else may open, and so hold (umask %o)', async (umask) => {
      const mask = process.umask(umask);
      const lock = ServiceLock.take(path(), 'x');
      process.umask(mask);
      expect((await stat(path())).mode & 0o777).toBe(0o600);
      lock.free();
    });

    it('that an earlier version left for others to read is closed to them', async () => {
      await writeFile(path(), '', { mode: 0o644 });
      ServiceLock.take(path(), 'x').free();
      expect((await stat(path())).mode & 0o777).toBe(0o600);
    });

    it.runIf(root)('cannot be opened by another user', () => {
      const lock = ServiceLock.take(path(), 'x');
      const tried = spawnSync('cat', [path()], { uid: stranger, gid: stranger });
      expect(tried.status).not.toBe(0);
      lock.free();
    });

    it.each([
      ['a link', symlink],
      ['a second name', link],
    ])('is taken in place of %s that somebody put there, and what that leads to stays as it is', async (_, make) => {
      const target = join(folder, `precious-${make.name}`);
      await writeFile(target, 'precious');
      await chmod(target, 0o644);
      await make(target, path());
      const lock = ServiceLock.take(path(), 'x');
      expect((await lstat(path())).isFile()).toBe(true);
      expect((await stat(target)).mode & 0o777).toBe(0o644);
      expect(await readFile(target, 'utf8')).toBe('precious');
      lock.free();
    });

    it.runIf(root).each(['', '-journal', '-wal', '-shm'])(
      'that a stranger put there first does not keep root out ("%s")',
      async (suffix) => {
        await writeFile(`${path()}${suffix}`, 'not a database, and no journal of ours', { mode: 0o666 });
        await chown(`${path()}${suffix}`, stranger, stranger);
        const lock = ServiceLock.take(path(), 'x');
        expect((await stat(path())).uid).toBe(0);
        lock.free();
      },
    );

    it.runIf(root)('that a stranger put there first keeps another user out, who is told whose it is', async () => {
      await writeFile(path(), '');
      await chown(path(), stranger, stranger);
      const module = JSON.stringify(join(import.meta.dirname, 'lock-file.ts'));
      const program = `import { prepareLockFile } from ${module}; process.setuid(12345); prepareLockFile(${JSON.stringify(path())});`;
      const tried = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
      expect(tried.stderr).toContain('it belongs to user 65534');
      expect((await stat(path())).uid).toBe(stranger);
    });
  });

  it('names the process that holds it', () => {
    const path = join(folder, 'e.lock');
    const lock = ServiceLock.take(path, 'x');
    expect(() => ServiceLock.take(path, 'x')).toThrow(new RegExp(`process ${process.pid} \\(.+\\) holds it`));
    lock.free();
  });

  it.each([
    ['fe:00', '11'],
    ['00:1b', '12'],
    ['fe:01', null],
    [null, '11'],
  ])('is not taken for that of a file with its number on another device: %s', (device, pid) => {
    const locks =
      '1: POSIX  ADVISORY  WRITE 11 fe:00:4711 1073741824 1073742335\n2: POSIX  ADVISORY  READ 12 00:1b:4711 0 EOF\n';
    expect(holderIn(locks, device, 4711)).toBe(pid);
  });

  it.runIf(process.geteuid?.() === 0)('that a stranger put there and holds is refused by his name', async () => {
    const path = join(folder, 'h.lock');
    const theirs = ServiceLock.take(path, 'x');
    await chown(path, 12_345, 12_345);
    expect(() => ServiceLock.take(path, 'the proxy')).toThrow(
      new RegExp(`h\\.lock cannot be opened: it belongs to user 12345, and process ${process.pid} .*remove it`),
    );
    theirs.free();
    ServiceLock.take(path, 'the proxy').free();
  });
});
