import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, link, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../testkit/conditions.ts';
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

    it('is not taken through a link, and what the link leads to stays as it is', async () => {
      const target = join(folder, 'precious');
      await symlink(target, path());
      expect(() => ServiceLock.take(path(), 'x')).toThrow(`not a file of its own`);
      await expect(stat(target)).rejects.toThrow('ENOENT');
      await writeFile(target, 'precious');
      expect(() => ServiceLock.take(path(), 'x')).toThrow(`rm ${path()}`);
      await rm(path());
      await link(target, path());
      expect(() => ServiceLock.take(path(), 'x')).toThrow(`not a file of its own`);
      expect(await readFile(target, 'utf8')).toBe('precious');
    });

    it.each(['', '-journal', '-wal', '-shm'])(
      'is refused, by the name of who made it, when "%s" is another’s',
      async (suffix) => {
        if (!root) return;
        await writeFile(`${path()}${suffix}`, '', { mode: 0o666 });
        await chown(`${path()}${suffix}`, stranger, stranger);
        expect(() => ServiceLock.take(path(), 'x')).toThrow(
          /belongs to user 65534, not to user 0; look who made it, and remove it: rm /,
        );
        expect((await stat(`${path()}${suffix}`)).uid).toBe(stranger);
      },
    );
  });
});
