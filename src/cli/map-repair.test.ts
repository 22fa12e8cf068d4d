import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSettings } from '../settings.ts';
import { silentLog } from '../telemetry/log.ts';
import { repairMaps } from './map-repair.ts';

it('before the first start of the service a repair is refused, and the map that is there is left for the import', async () => {
  const prefix = await mkdtemp(join(tmpdir(), 'pm-repair-'));
  const settings = readSettings({ PROXY_MANAGER_PREFIX: prefix }, {}, () => '');
  await mkdir(join(prefix, 'etc/proxy'), { recursive: true });
  await writeFile(settings.blockedMap, '192.0.2.1 1\n');
  await expect(repairMaps(settings, silentLog)).rejects.toThrow('start it once first');
  expect(await readFile(settings.blockedMap, 'utf8')).toBe('192.0.2.1 1\n');
  expect(await readdir(prefix)).toEqual(['etc']);
  await rm(prefix, { recursive: true });
});
