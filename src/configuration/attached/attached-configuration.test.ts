import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { patienceMs } from '../../../testkit/conditions.ts';
import { upstreamLines } from '../../attach/texts.ts';
import type { KnownWorker } from '../../blocking/compare/worker-registry.ts';
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
    readSince: async () => null,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await configuration.check();
  expect(configuration.reloadObstacle).toBe('a configuration file is missing');
  await writeFile(
    configFile,
    `frontend web\n  bind :80\n  http-request deny if { src,map_ip(${blockedMap}) -m found }\n`,
  );
  await configuration.check();
  expect(configuration.reloadObstacle).toBeNull();
});

it('does not reload an edit that was never loaded while the master socket is missing', async () => {
  const configFile = join(folder, 'haproxy.cfg');
  const blockedMap = '/etc/proxy/blocked_ips.map';
  const text = `frontend web\n  bind :80\n  http-request deny if { src,map_ip(${blockedMap}) -m found }\n`;
  await writeFile(configFile, text);
  // A master with one worker.
  const master = spawn('sh', ['-c', 'sleep 60 & echo $!; wait', 'haproxy', '-f', configFile]);
  const [worker] = (await once(master.stdout, 'data')) as [Buffer];
  try {
    const settings = { configFile, pidFile: join(folder, 'none.pid'), blockedMap, openFrontEnds: [] };
    const configuration = new AttachedConfiguration({
      settings: settings as unknown as Settings,
      registry: { current: () => null, isInSync: () => false, masterPid: master.pid ?? null },
      readSince: async () => null,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    await configuration.check();
    expect(configuration.reloadObstacle).toBeNull();
    // Within the clock's slack after the worker's start, an edit counts as loaded.
    await vi.waitFor(
      async () => {
        await writeFile(configFile, `${text}# edited\n`);
        await configuration.check();
        expect(configuration.reloadObstacle).toBe('the configuration was changed after HAProxy loaded it');
      },
      { timeout: patienceMs },
    );
  } finally {
    kill(Number(worker.toString()), 'SIGKILL');
  }
});

it('does not claim a change while the worker does not say what it has loaded', async () => {
  const configFile = join(folder, 'haproxy.cfg');
  const blockedMap = '/etc/proxy/blocked_ips.map';
  await writeFile(
    configFile,
    `frontend web\n  bind :80\n  http-request deny if { src,map_ip(${blockedMap}) -m found }\n`,
  );
  const settings = { configFile, blockedMap, openFrontEnds: [], reloadBy: { kind: 'never' } };
  const worker = { pid: 4711, startTime: 1 };
  let since: number | null = null;
  const configuration = new AttachedConfiguration({
    settings: settings as unknown as Settings,
    registry: { current: () => worker as KnownWorker, isInSync: () => false, masterPid: 1 },
    readSince: async () => since,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await configuration.check();
  const unknown = /it is not known whether .*: worker 4711 does not answer/;
  expect(configuration.report().changed_since_load).toBeNull();
  expect(configuration.reloadObstacle).toMatch(unknown);
  expect(configuration.problems()).toEqual([expect.stringMatching(unknown), expect.stringMatching(unknown)]);
  since = Date.now() + 60_000;
  await configuration.check();
  expect(configuration.report().changed_since_load).toBe(false);
  since = null;
  await configuration.check();
  expect(configuration.report().changed_since_load).toBe(false);
  since = 1;
  worker.startTime = 2;
  await configuration.check();
  expect(configuration.report().changed_since_load).toBe(true);
  expect(configuration.reloadObstacle).toBe('the configuration was changed after HAProxy loaded it');
});

it('upstreams are in force if every front end with the rule has theirs, except exempt ones', async () => {
  const configFile = join(folder, 'haproxy.cfg');
  const maps = {
    blockedMap: '/e/blocked.map',
    trustedMap: '/e/trusted.map',
    upstreamsMap: '/e/upstreams.map',
    proxyProtocolMap: '/e/proxy_protocol.map',
  };
  const aware = upstreamLines(maps, 1);
  const section = aware.indexOf('');
  const deny = `http-request deny if { src,map_ip(${maps.blockedMap}) -m found }`;
  await writeFile(
    configFile,
    [
      'defaults\nmode http',
      ...['frontend a', 'bind :80', ...aware.slice(0, section)],
      ...['frontend b', 'bind :81', deny],
      ...['frontend c', 'bind :82', deny],
      ...['frontend stats', 'bind :83', ''],
    ].join('\n'),
  );
  const settings = { ...maps, configFile, pidFile: join(folder, 'none.pid'), openFrontEnds: ['c'] };
  const configuration = new AttachedConfiguration({
    settings: settings as unknown as Settings,
    registry: { current: () => ({ pid: 1, startTime: '1' }) as never, isInSync: () => true, masterPid: null },
    readSince: async () => Date.now() + 60_000,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  expect(configuration.upstreams.frontEnds(false)).toBeNull();
  await configuration.check();
  const { mapLoaded, frontEnds } = configuration.upstreams;
  expect(mapLoaded).toBe(true);
  expect(frontEnds(false)).toEqual([
    { inForce: true, reason: null },
    { inForce: false, reason: expect.stringMatching(/^frontend b lacks /) },
  ]);
});
