import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { entryOf } from '../../../testkit/blocking.ts';
import { compileCache } from '../../../testkit/program.ts';
import { silentLog } from '../../../testkit/silent-log.ts';
import { MapFile } from '../../haproxy/map-file/map-file.ts';
import { readSettings } from '../../settings.ts';
import { writeMarker } from '../../start/instance-marker.ts';
import { openState } from '../../start/open-state.ts';
import { AuditStore } from '../../store/audit-store.ts';
import type { Database } from '../../store/open-database.ts';
import { TrustedIpsStore } from '../../store/trusted-ips-store.ts';
import { repairMaps } from './map-repair.ts';

it('refuses a repair before the first start of the service, and leaves the existing map for the import', async () => {
  const prefix = await mkdtemp(join(tmpdir(), 'pm-repair-'));
  const settings = readSettings({ PROXY_MANAGER_PREFIX: prefix }, {}, () => '');
  await mkdir(join(prefix, 'etc/proxy'), { recursive: true });
  await writeFile(settings.blockedMap, '192.0.2.1 1\n');
  await expect(repairMaps(settings, silentLog)).rejects.toThrow('start the service first');
  expect(await readFile(settings.blockedMap, 'utf8')).toBe('192.0.2.1 1\n');
  expect(await readdir(prefix)).toEqual(['etc']);
  await rm(prefix, { recursive: true });
});

it.each(['', '{}', 'null'])('names a damaged marker of the first start (%j), with what to do', async (text) => {
  const prefix = await mkdtemp(join(tmpdir(), 'pm-repair-'));
  const settings = readSettings({ PROXY_MANAGER_PREFIX: prefix }, {}, () => '');
  await mkdir(settings.stateDir, { recursive: true, mode: 0o700 });
  await writeFile(join(settings.stateDir, 'instance.json'), text);
  await expect(repairMaps(settings, silentLog)).rejects.toThrow(
    /instance\.json is damaged; restore it from a backup, or remove it if you are sure/,
  );
  await rm(prefix, { recursive: true });
});

async function startedOnce() {
  const prefix = await mkdtemp(join(tmpdir(), 'pm-repair-'));
  onTestFinished(() => rm(prefix, { recursive: true }));
  const settings = readSettings({ PROXY_MANAGER_PREFIX: prefix }, {}, () => '');
  for (const path of [settings.blockedMap, settings.pidFile, settings.logFile]) {
    await mkdir(dirname(path), { recursive: true });
  }
  await mkdir(settings.stateDir, { recursive: true, mode: 0o700 });
  const { database, instance } = await openState(settings);
  const databaseId = instance.databaseId;
  await database.close();
  await writeMarker(settings.stateDir, { database_id: databaseId });
  const inDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const { database: opened } = await openState(settings);
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  };
  return { settings, databaseId, inDatabase };
}

it('records what it took over in the audit log, and other trusted addresses of the file in the log', async () => {
  const { settings, databaseId, inDatabase } = await startedOnce();
  const file = new MapFile({ path: settings.blockedMap });
  await (await file.beginRewrite({ database: databaseId, generation: 0 })).finish();
  await file.add(['192.0.2.1', '192.0.2.2'], 1);
  await file.close();
  const end = new Date(Date.now() + 3_600_000);
  await inDatabase((database) =>
    new TrustedIpsStore(database).put(entryOf('192.0.2.8'), { expiry: { kind: 'at', at: end } }, new Date()),
  );
  await writeFile(settings.trustedMap, '192.0.2.9 1\n');
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (message: string, fields: object = {}) => void warnings.push([message, fields]) };
  expect(await repairMaps(settings, log)).toEqual({ blocked: 2, trusted: 1 });
  expect(warnings).toContainEqual([
    'Trusted map file differs from the database, which is in force',
    expect.objectContaining({ only_in_file: ['192.0.2.9'], only_in_database: ['192.0.2.8'] }),
  ]);
  expect(await readFile(settings.trustedMap, 'utf8')).toBe(
    `# proxy-manager trusted addresses\n# until ${end.toISOString()}\n192.0.2.8 1\n`,
  );
  const { items } = await inDatabase((database) => new AuditStore(database).page({ limit: 10 }));
  expect(items).toMatchObject([
    {
      operation: 'import_map_file',
      key: null,
      outcome: 'done',
      details: { imported: 2, blocked_by: 'recovered:map-file' },
    },
  ]);
});

it('keeps the lines of a change that a crash left only in the file, and refuses an older database', async () => {
  const { settings, databaseId } = await startedOnce();
  const left = async (generation: number) => {
    const file = new MapFile({ path: settings.blockedMap });
    await (await file.beginRewrite({ database: databaseId, generation: 0 })).finish();
    await file.add(['192.0.2.1'], generation);
    await file.close();
  };
  await left(2);
  await expect(repairMaps(settings, silentLog)).rejects.toThrow(/--adopt-map-file.*--accept-map-file/);
  await left(1);
  expect(await repairMaps(settings, silentLog)).toEqual({ blocked: 1, trusted: 0 });
  expect(await readFile(settings.blockedMap, 'utf8')).toContain('\n192.0.2.1 1\n');
});

it('refuses a repair, like a start, if every user could replace what it reads, and changes nothing', async () => {
  const prefix = await mkdtemp(join(tmpdir(), 'pm-repair-'));
  const settings = readSettings({ PROXY_MANAGER_PREFIX: prefix }, {}, () => '');
  await mkdir(settings.stateDir, { recursive: true });
  await chmod(settings.stateDir, 0o777);
  await expect(repairMaps(settings, silentLog)).rejects.toThrow(`chmod o-w ${settings.stateDir}`);
  expect(await readdir(settings.stateDir)).toEqual([]);
  await rm(prefix, { recursive: true });
});

it('writes no file that other users can write to, under any umask, and checks the path of the log before opening it', async () => {
  const prefix = await mkdtemp(join(tmpdir(), 'pm-repair-'));
  const program = join(import.meta.dirname, '../../main.ts');
  const repair = (...flags: string[]) =>
    spawnSync('sh', ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, program, 'map-repair', ...flags], {
      env: { PROXY_MANAGER_PREFIX: prefix, NODE_COMPILE_CACHE: compileCache() },
      encoding: 'utf8',
    });
  expect(repair().stderr).toContain('start the service first');
  expect((await stat(join(prefix, 'var/log'))).mode & 0o777).toBe(0o755);
  await mkdir(join(prefix, 'open'));
  await chmod(join(prefix, 'open'), 0o777);
  expect(repair('--log-file', join(prefix, 'open/pm.log')).stderr).toContain('chmod o-w');
  expect(await readdir(join(prefix, 'open'))).toEqual([]);
  await rm(prefix, { recursive: true });
});
