// A failing service must not take the sites down: after a reboot HAProxy starts from disk, and a later start adopts it.
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { missingForNotifySocket, type NotifySocket, openNotifySocket } from '../testkit/notify-socket.ts';
import { describeOnNewestProxy, describeOnOneProxy, itInLongTests, sampled } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const blocked = '127.60.0.1';
const missingTemplate = { PROXY_MANAGER_TEMPLATE: '/no/such/template.liquid' };

/** Kills everything, as a power failure does. */
async function powerCut(service: RealService): Promise<void> {
  service.kill('SIGKILL');
  await service.ended();
  for (const pid of await service.proxyPids()) process.kill(pid, 'SIGKILL');
  await eventually('no proxy runs', async () => (await service.proxyPids()).length === 0);
  for (const path of [service.paths.masterSocket, service.paths.statsSocket, service.paths.pidFile]) {
    await rm(path, { force: true });
  }
}

async function refusedStart(
  service: RealService,
  environment: Readonly<Record<string, string>>,
  code: number,
): Promise<string> {
  await rm(service.paths.jsonLog, { force: true });
  await expect(service.launch(environment)).rejects.toThrow('the service did not start');
  expect(await service.ended()).toEqual({ code, signal: null });
  await expect(service.call('GET', '/livez')).rejects.toThrow('ECONNREFUSED');
  return await readFile(service.paths.jsonLog, 'utf8');
}

const started = /HAProxy \(process (\d+)\) was started with the configuration and the maps on disk/;

async function expectServed(service: RealService): Promise<void> {
  expect([await service.visit('127.0.0.9'), await service.visit(blocked)]).toEqual([200, 403]);
}

describeOnNewestProxy('a start after a power failure whose database is damaged', ({ bin }) => {
  let service: RealService;
  let folder: string;
  let systemd: NotifySocket | null = null;
  const readiness = () => systemd?.lines().filter((line) => line === 'READY=1').length ?? 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-notify-'));
    if (missingForNotifySocket() === null) systemd = await openNotifySocket(join(folder, 'notify'));
    service = await RealService.start({ bin, environment: systemd === null ? {} : { NOTIFY_SOCKET: systemd.path } });
    await service.block(blocked);
    await service.healthy();
  });
  afterAll(async () => {
    await service?.stop();
    await systemd?.close();
    await rm(folder, { recursive: true });
  });

  it.skipIf(missingForNotifySocket() !== null)(
    'reports to systemd that it is ready, for HAProxy that cannot',
    async () => {
      await eventually('systemd received it', () => readiness() === 1);
      const { master } = await service.processes();
      expect(await readFile(`/proc/${master.pid}/environ`, 'latin1')).not.toContain('NOTIFY_SOCKET');
    },
  );

  it('runs a proxy from the files on disk until the database is repaired, and then adopts it', async () => {
    const { database } = service.paths;
    await powerCut(service);
    // The write-ahead log of the killed service would repair it.
    for (const end of ['', '-wal', '-shm']) await rename(`${database}${end}`, `${database}${end}.whole`);
    await writeFile(database, 'this was a database once'.repeat(500));

    const first = await refusedStart(service, {}, 1);
    expect(first).toMatch(/the database .* cannot be used/);
    const master = Number(started.exec(first)?.[1]);
    await expectServed(service);
    const before = await service.processes();
    expect(before.master.pid).toBe(master);

    // systemd tries again and again.
    expect(await refusedStart(service, {}, 1)).toContain(
      `HAProxy (process ${master}) is running and was left unchanged`,
    );
    expect(await service.logText()).toMatch(/ERROR Start refused cause=.*cannot be used.* proxy=.*was left unchanged/);
    await expectServed(service);
    expect(readiness()).toBeLessThanOrEqual(1);

    for (const end of ['', '-wal', '-shm']) await rename(`${database}${end}.whole`, `${database}${end}`);
    await service.launch();
    await service.healthy();
    const after = await service.processes();
    expect({ master: after.master.pid, workers: after.current.map(({ pid }) => pid) }).toEqual({
      master,
      workers: before.current.map(({ pid }) => pid),
    });
    expect((await service.call('GET', '/api/config/reloads')).body['items']).toEqual([]);
    await expectServed(service);
    expect((await service.block('127.60.0.2')).body).toMatchObject({ runtime_map_updated: true });
  });
});

describeOnOneProxy('a start that is refused while no proxy runs', ({ bin }) => {
  let service: RealService;
  let live: string;
  beforeAll(async () => {
    service = await RealService.start({ bin });
    await service.block(blocked);
    const webhook = { url: 'http://127.0.0.1:9/', enabled: false };
    expect((await service.call('PUT', '/api/webhooks/hook', { body: webhook })).status).toBeLessThan(300);
    await service.healthy();
    live = await readFile(service.paths.config, 'utf8');
  });
  afterAll(() => service.stop());

  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  });

  const refused: [string, Record<string, string>, RegExp, number][] = [
    ['the template is missing', missingTemplate, /PROXY_MANAGER_TEMPLATE=.* is not usable/, 2],
    ['a setting is misspelt', { PROXY_MANAGER_LISTNE: 'x' }, /PROXY_MANAGER_LISTNE=.*did you mean \S+_LISTEN\?/, 2],
    ['the log cannot be written', { PROXY_MANAGER_LOG_FILE: '/etc/passwd/no.log' }, /ENOTDIR.*passwd/, 1],
  ];
  // The template is missing in the next test too.
  it.each(sampled(refused, (_, index) => index === 1))(
    'starts HAProxy where %s',
    async (_why, environment, reason, code) => {
      await powerCut(service);
      const output = await refusedStart(service, environment, code);
      expect(output).toMatch(reason);
      expect(output).toMatch(started);
      await expectServed(service);
    },
  );

  itInLongTests('starts HAProxy even if its output cannot be logged', async () => {
    await powerCut(service);
    const { proxyOutput } = service.paths;
    await rename(proxyOutput, `${proxyOutput}.away`);
    await mkdir(proxyOutput);
    cleanUps.push(() => rm(proxyOutput, { recursive: true }));
    expect(await refusedStart(service, missingTemplate, 2)).toMatch(started);
    await expectServed(service);
  });

  it('reports a running proxy, also if none could be started', async () => {
    await chmod(service.paths.config, 0o666);
    cleanUps.push(() => chmod(service.paths.config, 0o640));
    expect(await refusedStart(service, missingTemplate, 2)).toMatch(
      /HAProxy \(process \d+\) is running and was left unchanged/,
    );
    await expectServed(service);
  });

  it('releases all resources if it fails after the API listens, and reports only that cause', async () => {
    const database = new Database(service.paths.database);
    cleanUps.push(() => database.close());
    const types = database.prepare("UPDATE webhooks SET types_json = ? WHERE id = 'hook'");
    types.run('{');
    cleanUps.unshift(() => types.run(null));
    const output = await refusedStart(service, {}, 1);
    expect(output).toMatch(/JSON.*HAProxy \(process \d+\) is running and was left unchanged/);
    expect(output).not.toContain('another proxy-manager');
    await expectServed(service);
  });

  describe('starts no proxy', () => {
    const expectNone = async (environment: Readonly<Record<string, string>>, code: number, why: RegExp | string) => {
      const output = await refusedStart(service, environment, code);
      expect(output).toMatch(why);
      expect(await service.proxyPids()).toEqual([]);
      return output;
    };
    beforeAll(() => powerCut(service));

    const wrong: [string, Record<string, string>][] = [
      ['the configuration', { PROXY_MANAGER_CONFIG_FILE: '/etc/with blank.cfg' }],
      ['the configuration, by a misspelt name', { PROXY_MANAGER_CONFIG_FLIE: '/etc/other.cfg' }],
      ['the blocked map', { PROXY_MANAGER_BLOCKED_MAP: '/etc/with blank.map' }],
      ['the binary', { PROXY_MANAGER_PROXY_BIN: '/no/such/haproxy' }],
    ];
    it.each(sampled(wrong, (_, index) => index === 1))(
      'where the wrong setting names %s',
      async (_what, environment) => {
        expect(await expectNone(environment, 2, Object.keys(environment)[0]!)).not.toContain('on disk');
      },
    );

    it('without supervision', async () => {
      await expectNone({ ...missingTemplate, PROXY_MANAGER_SUPERVISE: 'false' }, 2, 'PROXY_MANAGER_TEMPLATE');
    });

    it('from a configuration that HAProxy refuses, shows its message, and leaves the file unchanged', async () => {
      const broken = `${live}\nfrontend broken\n  no-such-word\n`;
      await writeFile(service.paths.config, broken);
      cleanUps.push(() => writeFile(service.paths.config, live));
      await expectNone(missingTemplate, 2, /HAProxy could not be started either: HAProxy refuses .*no-such-word/);
      expect(await readFile(service.paths.config, 'utf8')).toBe(broken);
    });

    it('without the blocked map that the configuration names, and creates no empty one', async () => {
      const { blockedMap } = service.paths;
      await rename(blockedMap, `${blockedMap}.away`);
      cleanUps.push(() => rename(`${blockedMap}.away`, blockedMap));
      await expectNone(missingTemplate, 2, /names \S+blocked_ips\.map, which is missing.*map-repair/);
      await expect(readFile(blockedMap)).rejects.toThrow('ENOENT');
    });

    itInLongTests('on a port that another process uses', async () => {
      const listener = await listenOn(service.proxyPort);
      cleanUps.push(() => new Promise((resolve) => listener.close(resolve)));
      await expectNone(missingTemplate, 2, /could not be started either: .* is held by another process/);
    });

    it('from files that others could replace', async () => {
      await chmod(service.paths.config, 0o666);
      cleanUps.push(() => chmod(service.paths.config, 0o640));
      await expectNone(missingTemplate, 2, /could not be started either: every user may write to the configuration/);
    });
  });
});

function listenOn(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(server));
  });
}
