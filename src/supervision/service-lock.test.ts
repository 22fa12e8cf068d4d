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
  it('a second service is refused with a message that names what is locked and the file', () => {
    const path = join(folder, 'a.lock');
    const lock = ServiceLock.take(path, 'the map');
    expect(() => ServiceLock.take(path, 'the map')).toThrow(/another proxy-manager works on the map already.*a\.lock/);
    lock.free();
    ServiceLock.take(path, 'the map').free();
  });

  it('a lock is freed when its process is killed', async () => {
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

  it('a lock that cannot be created names the file and the reason', () => {
    expect(() => ServiceLock.take(join(folder, 'absent/c.lock'), 'x')).toThrow(
      /the lock .*absent\/c\.lock cannot be opened/,
    );
    expect(() => ServiceLock.take(folder, 'x')).toThrow(/the lock .* cannot be opened/);
  });

  describe('a lock in a world-writable folder', () => {
    const otherUser = 65_534;
    const root = getuid?.() === 0;
    let shared: string;
    beforeEach(async () => {
      shared = await mkdtemp(join(tmpdir(), 'pm-shared-'));
      await chmod(shared, 0o1777);
    });
    afterEach(() => rm(shared, { recursive: true, force: true }));
    const path = () => join(shared, 'proxy-cli.lock');

    it.each([0, 0o022, 0o077])(
      'a lock file is created with mode 600 under umask %o, so that no other user can hold it',
      async (umask) => {
        const mask = process.umask(umask);
        const lock = ServiceLock.take(path(), 'x');
        process.umask(mask);
        expect((await stat(path())).mode & 0o777).toBe(0o600);
        lock.free();
      },
    );

    it('a lock file of mode 644 gets mode 600', async () => {
      await writeFile(path(), '', { mode: 0o644 });
      ServiceLock.take(path(), 'x').free();
      expect((await stat(path())).mode & 0o777).toBe(0o600);
    });

    it.runIf(root)('a lock file cannot be opened by another user', () => {
      const lock = ServiceLock.take(path(), 'x');
      const tried = spawnSync('cat', [path()], { uid: otherUser, gid: otherUser });
      expect(tried.status).not.toBe(0);
      lock.free();
    });

    it.each([
      ['a link', symlink],
      ['a second name', link],
    ])('a lock replaces %s of another user and leaves its target unchanged', async (_, make) => {
      const target = join(folder, `important-${make.name}`);
      await writeFile(target, 'important');
      await chmod(target, 0o644);
      await make(target, path());
      const lock = ServiceLock.take(path(), 'x');
      expect((await lstat(path())).isFile()).toBe(true);
      expect((await stat(target)).mode & 0o777).toBe(0o644);
      expect(await readFile(target, 'utf8')).toBe('important');
      lock.free();
    });

    it.runIf(root).each(['', '-journal', '-wal', '-shm'])(
      'a lock file of another user does not keep root out (suffix "%s")',
      async (suffix) => {
        await writeFile(`${path()}${suffix}`, 'not a database, and no journal of ours', { mode: 0o666 });
        await chown(`${path()}${suffix}`, otherUser, otherUser);
        const lock = ServiceLock.take(path(), 'x');
        expect((await stat(path())).uid).toBe(0);
        lock.free();
      },
    );

    it.runIf(root)('a lock file of another user is refused with its owner, unless root asks', async () => {
      await writeFile(path(), '');
      await chown(path(), otherUser, otherUser);
      const module = JSON.stringify(join(import.meta.dirname, 'lock-file.ts'));
      const program = `import { prepareLockFile } from ${module}; process.setuid(12345); prepareLockFile(${JSON.stringify(path())});`;
      const tried = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
      expect(tried.stderr).toContain('it belongs to user 65534');
      expect((await stat(path())).uid).toBe(otherUser);
    });
  });

  it('a held lock names the process that holds it', () => {
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
  ])('the holder of a lock is matched by inode and device (%s)', (device, pid) => {
    const locks =
      '1: POSIX  ADVISORY  WRITE 11 fe:00:4711 1073741824 1073742335\n2: POSIX  ADVISORY  READ 12 00:1b:4711 0 EOF\n';
    expect(holderIn(locks, device, 4711)).toBe(pid);
  });

  it.runIf(process.geteuid?.() === 0)(
    'a lock file that another user owns and holds is refused with its owner and holder',
    async () => {
      const path = join(folder, 'h.lock');
      const held = ServiceLock.take(path, 'x');
      await chown(path, 12_345, 12_345);
      expect(() => ServiceLock.take(path, 'HAProxy')).toThrow(
        new RegExp(`h\\.lock cannot be opened: it belongs to user 12345, and process ${process.pid} .*remove it`),
      );
      held.free();
      ServiceLock.take(path, 'HAProxy').free();
    },
  );
});
