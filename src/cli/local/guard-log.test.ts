import {
  chmod,
  chown,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../settings.ts';
import { ManagerLog } from '../../telemetry/log.ts';
import { guardLog } from './guard-log.ts';
import { serve } from './serve.ts';

let prefix: string;
let umask: number;
beforeEach(async () => {
  umask = process.umask();
  prefix = await mkdtemp(join(tmpdir(), 'pm-log-'));
});
afterEach(async () => {
  process.umask(umask);
  await rm(prefix, { recursive: true, force: true });
});

const at = (path: string) => join(prefix, path);
const settings = (logFile: string) =>
  readSettings({ PROXY_MANAGER_PREFIX: prefix, PROXY_MANAGER_LOG_FILE: logFile }, {}, () => '');
const open = (logFile: string, refuses = true) => {
  guardLog(settings(logFile), refuses);
  return new ManagerLog(logFile, at('json'));
};

/** A link to a protected file, in a folder where every user can create links. */
async function trap(): Promise<string> {
  await mkdir(at('open'));
  await chmod(at('open'), 0o777);
  await writeFile(at('precious'), 'precious');
  await symlink(at('precious'), at('open/pm.log'));
  return at('open/pm.log');
}

describe('the log', () => {
  it('is not opened, created or written through a link in a folder that every user can write to', async () => {
    const path = await trap();
    expect(() => open(path)).toThrow(`chmod o-w ${at('open')}`);
    expect(() => open(at('open/new.log'))).toThrow(`chmod o-w ${at('open')}`);
    expect(() => open(at('open/sub/new.log'))).toThrow(`chmod o-w ${at('open')}`);
    expect(await readdir(at('open'))).toEqual(['pm.log']);
    expect(await readdir(prefix)).toEqual(['open', 'precious']);
    expect(await readFile(at('precious'), 'utf8')).toBe('precious');
  });

  it('has its path checked before a service opens any file', async () => {
    const path = await trap();
    await expect(serve(settings(path))).rejects.toThrow(`chmod o-w ${at('open')}`);
    expect(await readdir(prefix)).toEqual(['open', 'precious']);
    expect(await readFile(at('precious'), 'utf8')).toBe('precious');
  });

  it.runIf(getuid?.() === 0)(
    'is not created by root where the service runs as another user; the error names that user',
    async () => {
      const state = at('var/lib/proxy-manager');
      await mkdir(state, { recursive: true });
      await chown(state, 65_534, 65_534);
      const refused = `the state folder ${state} belongs to user 65534, so the service runs as that user`;
      expect(() => open(at('new.log'))).toThrow(refused);
      expect(() => open(at('new.log'))).toThrow('runuser -u "$(id -nu 65534)" -- proxy-manager');
      expect(() => open(at('new.log'))).not.toThrow('chown');
      expect(await readdir(prefix)).toEqual(['var']);
      open(at('trial.log'), false);
      await chown(state, 0, 0);
      open(at('new.log'));
    },
  );

  it.runIf(getuid?.() === 0)('is not written through a link that another user made, in whatever folder', async () => {
    await mkdir(at('log'));
    await symlink(at('precious'), at('log/pm.log'));
    await lchown(at('log/pm.log'), 65_534, 65_534);
    expect(() => open(at('log/pm.log'))).toThrow('pm.log belongs to user 65534');
    expect(await readdir(prefix)).toEqual(['log']);
  });

  it('may be an own link, and its folder is created without write access for others, under any umask', async () => {
    process.umask(0);
    await mkdir(at('disk'), { mode: 0o755 });
    await symlink(at('disk'), at('var'));
    open(at('var/log/pm.log')).warn('logged');
    expect((await stat(at('disk/log'))).mode & 0o777).toBe(0o755);
    expect(await readFile(at('disk/log/pm.log'), 'utf8')).toContain('logged');
  });

  it('of a trial may be in any folder', async () => {
    open(await trap(), false).warn('logged');
    expect(await readFile(at('precious'), 'utf8')).toContain('logged');
  });
});
