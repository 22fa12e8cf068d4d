import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Settings } from '../../settings.ts';
import { AttachedConfiguration } from './attached-configuration.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-attached-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a configuration that is being replaced is not reloaded', async () => {
  const configFile = join(folder, 'haproxy.cfg');
  const blockedMap = '/etc/proxy/blocked_ips.map';
  const settings = { configFile, pidFile: join(folder, 'none.pid'), blockedMap, openFrontEnds: [] };
  const configuration = new AttachedConfiguration({
    settings: settings as unknown as Settings,
    registry: { current: () => null, isInSync: () => false, masterPid: null },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await configuration.look();
  expect(configuration.reloadHindrance).toBe('a file of the configuration is missing');
  await writeFile(
    configFile,
    `frontend web\n  bind :80\n  http-request deny if { src,map_ip(${blockedMap}) -m found }\n`,
  );
  await configuration.look();
  expect(configuration.reloadHindrance).toBeNull();
});
