import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
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
});
