import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSettings } from '../settings.ts';
import { makeFolders } from './folders-and-locks.ts';
import { checkRights } from './rights-check.ts';

const own = getuid?.() ?? 0;
const otherUid = 65_534;
let prefix: string;
let warned: string[];
const settings = (more: Record<string, string> = {}) =>
  readSettings({ PROXY_MANAGER_PREFIX: prefix, ...more }, {}, () => 'k'.repeat(40));
const log = {
  info: () => undefined,
  warn: (_message: string, fields = {}) => void warned.push((fields as { what: string }).what),
  error: () => undefined,
};
const check = (more: Record<string, string> = {}) => checkRights(settings(more), log, { ownUid: own });
const at = (path: string) => join(prefix, path);
const state = 'var/lib/proxy-manager';
const database = `${state}/proxy-manager.sqlite`;

beforeEach(async () => {
  prefix = await mkdtemp(join(tmpdir(), 'pm-rights-'));
  warned = [];
  await makeFolders(settings());
});
afterEach(() => rm(prefix, { recursive: true, force: true }));

test('accepts the modes of files that the service creates, without a warning', () => {
  check();
  expect(warned).toEqual([]);
});

describe('a start is refused with the command that fixes it', () => {
  test.each([
    'etc/proxy/proxy.cfg',
    'etc/proxy/blocked_ips.map',
    database,
    `${state}/api-key`,
    'var/log/proxy-manager.log',
  ])('when every user may write to %s', async (path) => {
    await mkdir(at('var/log'), { recursive: true });
    await writeFile(at(path), '');
    await chmod(at(path), 0o602);
    expect(() => check()).toThrow(`chmod o-w ${at(path)}`);
  });

  test.each(['etc', 'etc/proxy', 'var/lib', state, 'var/run'])(
    'when every user may write to the folder %s',
    async (path) => {
      await chmod(at(path), 0o777);
      expect(() => check()).toThrow(`every user may write to ${at(path)}, and so could replace`);
      expect(() => check()).toThrow(`: chmod o-w ${at(path)}`);
    },
  );

  test('when a file is to be directly in a folder like /tmp, where every user may create it first', async () => {
    await mkdir(at('shared'));
    await chmod(at('shared'), 0o1777);
    for (const name of ['LOG_FILE', 'CONFIG_FILE', 'BLOCKED_MAP', 'PID_FILE', 'BACKUP_DIR']) {
      expect(() => check({ [`PROXY_MANAGER_${name}`]: at('shared/x') })).toThrow('name a folder of its own');
    }
    // The sticky bit protects existing files: an own folder in it is safe, and so is a socket, which is checked.
    await mkdir(at('shared/ours'), { mode: 0o700 });
    check({ PROXY_MANAGER_LOG_FILE: at('shared/ours/x'), PROXY_MANAGER_MASTER_SOCKET: at('shared/proxy-cli') });
  });

  test('when every user may write to a database that is named as a URL with an empty host', async () => {
    await writeFile(at('db'), '');
    await chmod(at('db'), 0o602);
    expect(() => check({ PROXY_MANAGER_DATABASE_URL: `sqlite://${at('db')}` })).toThrow(
      `the database ${at('db')}: chmod o-w ${at('db')}`,
    );
  });

  test('when a link leads to a folder to which every user may write', async () => {
    await mkdir(at('open'));
    await chmod(at('open'), 0o777);
    await symlink(at('open/real.cfg'), at('etc/proxy/proxy.cfg'));
    await writeFile(at('open/real.cfg'), '');
    expect(() => check()).toThrow(at('open'));
  });

  test('for every reason at once', async () => {
    await chmod(at(state), 0o777);
    await writeFile(at('etc/proxy/proxy.cfg'), '');
    await chmod(at('etc/proxy/proxy.cfg'), 0o666);
    expect(() => check()).toThrow(/var\/lib\/proxy-manager.*etc\/proxy\/proxy\.cfg/s);
  });

  describe.runIf(own === 0)('when another user owns', () => {
    test.each([state, database, `${database}-wal`, `${database}-shm`, `${database}-journal`, `${state}/api-key`])(
      '%s',
      async (path) => {
        if (path !== state) await writeFile(at(path), '', { mode: 0o600 });
        await chown(at(path), otherUid, otherUid);
        expect(() => check()).toThrow(`belongs to user ${otherUid}: chown 0 ${at(path)}`);
      },
    );

    test('the key file of the settings, or a link to it', async () => {
      await writeFile(at('key'), '', { mode: 0o600 });
      await chown(at('key'), otherUid, otherUid);
      expect(() => check({ PROXY_MANAGER_API_KEY_FILE: at('key') })).toThrow(`chown 0 ${at('key')}`);
      await symlink(at('key'), at('link'));
      expect(() => check({ PROXY_MANAGER_API_KEY_FILE: at('link') })).toThrow(`chown 0 ${at('key')}`);
    });
  });
});

describe('a start continues with a warning', () => {
  test('in a trial, instead of refusing', async () => {
    await chmod(at('etc/proxy'), 0o777);
    checkRights(settings(), log, { refuses: false });
    expect(warned).toEqual(
      expect.arrayContaining([expect.stringContaining(`every user may write to ${at('etc/proxy')}`)]),
    );
  });

  test('when every user may read a secret', async () => {
    await writeFile(at(database), '', { mode: 0o644 });
    await writeFile(at('key'), '', { mode: 0o644 });
    await chmod(at(state), 0o755);
    check({ PROXY_MANAGER_API_KEY_FILE: at('key') });
    expect(warned).toEqual([
      `every user may read the state folder ${at(state)}: chmod o-rwx ${at(state)}`,
      `every user may read the key file ${at('key')}: chmod o-rwx ${at('key')}`,
      `every user may read the database ${at(database)}: chmod o-rwx ${at(database)}`,
    ]);
  });

  test('not about files without secrets, nor about group permissions', async () => {
    await writeFile(at('etc/proxy/proxy.cfg'), '', { mode: 0o644 });
    await chmod(at('etc/proxy/proxy.cfg'), 0o664);
    await chmod(at('etc/proxy'), 0o775);
    check();
    expect(warned).toEqual([]);
  });

  test.runIf(own === 0)('once about each folder and file that another user owns', async () => {
    await chown(at('etc/proxy'), otherUid, otherUid);
    check();
    expect(warned).toEqual([
      expect.stringMatching(new RegExp(`^user ${otherUid} owns ${at('etc/proxy')}, .*: chown 0 `)),
    ]);
  });
});

test('a device without content is not checked', () => {
  check({ PROXY_MANAGER_LOG_FILE: '/dev/null' });
  expect(warned).toEqual([]);
});

test.each([0, 0o027])('folders have the same modes under every umask (%o)', async (umask) => {
  const fresh = await mkdtemp(join(tmpdir(), 'pm-umask-'));
  const mask = process.umask(umask);
  try {
    const made = readSettings({ PROXY_MANAGER_PREFIX: fresh }, {}, () => '');
    await makeFolders(made);
    checkRights(made, log, { ownUid: own });
  } finally {
    process.umask(mask);
  }
  expect(warned).toEqual([]);
  await rm(fresh, { recursive: true });
});
