import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it('is nobody else’s to open, whatever it was before: who can open it can hold it', async () => {
    const path = join(folder, 'd.lock');
    ServiceLock.take(path, 'x').free();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await chmod(path, 0o644);
    ServiceLock.take(path, 'x').free();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('names the process that holds it', () => {
    const path = join(folder, 'e.lock');
    const lock = ServiceLock.take(path, 'x');
    expect(() => ServiceLock.take(path, 'x')).toThrow(new RegExp(`process ${process.pid} \\(.+\\) holds it`));
    lock.free();
  });

  it('does not follow a link that somebody put in its place', async () => {
    const target = join(folder, 'target');
    await writeFile(target, '');
    await chmod(target, 0o644);
    const path = join(folder, 'f.lock');
    await symlink(target, path);
    ServiceLock.take(path, 'x').free();
    expect((await lstat(path)).isFile()).toBe(true);
    expect((await stat(target)).mode & 0o777).toBe(0o644);
    expect(await readFile(target, 'utf8')).toBe('');
  });

  // Only root can make a file somebody else's.
  it.runIf(process.geteuid?.() === 0)('that a stranger put there first does not keep root out', async () => {
    const path = join(folder, 'g.lock');
    await writeFile(path, '');
    await chown(path, 12_345, 12_345);
    const lock = ServiceLock.take(path, 'x');
    expect((await stat(path)).uid).toBe(0);
    lock.free();
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
