import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings } from '../settings.ts';
import { checkSettings } from './settings-check.ts';

let prefix: string;
beforeAll(async () => {
  prefix = await mkdtemp(join(tmpdir(), 'pm-settings-'));
  await mkdir(join(prefix, 'folder'));
  await writeFile(join(prefix, 'file'), '');
});
afterAll(() => rm(prefix, { recursive: true, force: true }));

const check = (environment: Record<string, string>) =>
  checkSettings(readSettings({ PROXY_MANAGER_PREFIX: prefix, ...environment }, {}, () => ''));

it('accepts a machine on which no file exists yet', async () => {
  await expect(check({})).resolves.toBeUndefined();
});

it.each([
  ['DATABASE_URL', 'folder'],
  ['CONFIG_FILE', 'folder'],
  ['BLOCKED_MAP', 'folder'],
  ['TRUSTED_MAP', 'folder'],
  ['MASTER_SOCKET', 'folder'],
  ['STATS_SOCKET', 'folder'],
  ['PID_FILE', 'folder'],
  ['LOG_FILE', 'folder'],
  ['BACKUP_DIR', 'file'],
  ['TEMPLATE', 'absent'],
  ['TEMPLATE', 'folder'],
  ['PROXY_BIN', 'absent'],
  ['PROXY_BIN', 'file'],
])('%s that names the wrong thing (%s) is refused by its name', async (name, what) => {
  const path = join(prefix, what);
  const value = name === 'DATABASE_URL' ? `sqlite:${path}` : path;
  await expect(check({ [`PROXY_MANAGER_${name}`]: value })).rejects.toMatchObject({
    name: 'SettingsError',
    variable: `PROXY_MANAGER_${name}`,
    message: expect.stringContaining(path),
  });
});

it('a database that is named as a URL with an empty host is refused by the path that is meant', async () => {
  const path = join(prefix, 'folder');
  await expect(check({ PROXY_MANAGER_DATABASE_URL: `sqlite://${path}` })).rejects.toThrow(`"${path}" is not usable`);
});
