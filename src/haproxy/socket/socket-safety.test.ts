import { chmod, chown, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { socketSafety } from './socket-safety.ts';

describe('the safety of a socket', () => {
  let folder: string;
  let path: string;
  let server: Server;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-'));
    path = join(folder, 's');
    server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await chmod(path, 0o600);
  });
  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  it('accepts a socket of this user, also one that a group may use', async () => {
    expect(socketSafety(path)).toEqual({ safe: true });
    await chmod(path, 0o660);
    expect(socketSafety(path)).toEqual({ safe: true });
  });

  it('refuses a socket that every user may write to', async () => {
    await chmod(path, 0o602);
    expect(socketSafety(path)).toMatchObject({ safe: false, missing: false, why: expect.stringContaining('mode 602') });
  });

  it('reports an absent socket as missing', () => {
    expect(socketSafety(join(folder, 'none'))).toMatchObject({ safe: false, missing: true });
  });

  it('refuses a regular file at the path of the socket', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(socketSafety(file)).toMatchObject({ safe: false, missing: false, why: `${file} is not a socket` });
  });

  it('follows a link of this user, and reports a dangling one as missing', async () => {
    const link = join(folder, 'link');
    await symlink(path, link);
    expect(socketSafety(link)).toEqual({ safe: true });
    await rename(path, join(folder, 'moved'));
    expect(socketSafety(link)).toMatchObject({ safe: false, missing: true });
    await rename(join(folder, 'moved'), path);
  });

  it.runIf(getuid?.() === 0)('refuses the socket of another user, except that of root', async () => {
    await chown(path, 4711, 4711);
    expect(socketSafety(path)).toMatchObject({ safe: false, why: expect.stringContaining('belongs to user 4711') });
    expect(socketSafety(path, 4711)).toEqual({ safe: true });
    await chown(path, 0, 0);
    expect(socketSafety(path, 4711)).toEqual({ safe: true });
  });
});
