import { type ChildProcess, spawn } from 'node:child_process';
import { appendFile, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setClock, settableClock } from '../testkit/clock.ts';
import { eventually } from '../testkit/conditions.ts';
import { compileCache, program } from '../testkit/program.ts';
import { describeOnNewestProxy, describeOnOneProxy, itInLongTests, longTests } from '../testkit/proxies.ts';
import { certificates, RealService, type ServiceOptions } from '../testkit/real-service.ts';
import { expectAgreement } from '../testkit/traffic.ts';

const refusal = { code: 1, signal: null };

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
async function started(bin: string, options: Partial<ServiceOptions> = {}): Promise<RealService> {
  const service = await RealService.start({ bin, ...options });
  cleanUps.push(() => service.stop());
  return service;
}

describeOnNewestProxy('a start', ({ bin }) => {
  describe('beside a proxy that an operator started, with its own map and configuration,', () => {
    const foreignMap = `# blocked by hand, 2019

127.9.0.1 1
127.9.8.7/16 1
127.10.0.0/255.255.255.0 1
  127.11.0.1\t1  
2001:DB8:0:0::ABCD 1
::ffff:127.12.0.1 7
127.13.0.1 0
127.14.0.1
127.15.0.1 1`;
    const imported = [
      '127.10.0.0/24',
      '127.11.0.1',
      '127.12.0.1',
      '127.14.0.1',
      '127.15.0.1',
      '127.9.0.0/16',
      '127.9.0.1',
      '2001:db8::abcd',
    ];
    let service: RealService;
    let config = '';
    let proxy = 0;
    beforeAll(async () => {
      service = await RealService.start({
        bin,
        before: async (paths, beginning) => {
          config = ownConfig(beginning);
          proxy = await proxyByHand(bin, beginning, config);
          await writeFile(paths.blockedMap, foreignMap);
        },
      });
    });
    afterAll(() => service.stop());

    it('imports the blocks in effect as permanent ones, with their source', async () => {
      await service.healthy();
      expect((await service.listed()).sort()).toEqual(imported);
      expect((await service.call('GET', '/api/blocked-ips/127.9.0.0%2F16')).body).toMatchObject({
        blocked_by: 'import:map-file',
        expires_at: null,
      });
      const log = await service.logText();
      expect(log).toContain('Existing map file imported');
      expect(log).toMatch(/not imported .*line=9 why="its value \\"0\\" does not count"/);
    });

    it('adopts the running proxy, keeps its configuration, and brings its map in sync', async () => {
      const { master } = await service.processes();
      expect(master.pid).toBe(proxy);
      expect(await readFile(service.paths.config, 'utf8')).toBe(config);
      await expectAgreement(service, imported);
      expect(await service.visit('127.9.77.1')).toBe(403);
      expect(await service.visit('127.12.0.1')).toBe(403);
      expect(await service.visit('127.15.0.1')).toBe(403);
      expect(await service.visit('127.13.0.1')).toBe(200);
    });

    it('keeps that configuration until a request allows its replacement, and then as the first backup', async () => {
      const servers = [{ address: '127.0.0.1', port: 1 }];
      for (const refused of [
        await service.call('POST', '/api/config/reload'),
        await service.call('PUT', '/api/sites/blog.example', { body: { servers } }),
      ]) {
        expect(refused.body).toMatchObject({ status: 409, code: 6020 });
      }
      expect(await readFile(service.paths.config, 'utf8')).toBe(config);
      await eventually('the difference is reported', async () => {
        const { status, live } = (await service.health()).body['configuration_drift'];
        return status === 'drift' && live === 'other';
      });
      const replaced = await service.call('POST', '/api/config/reload?replace_configuration=true');
      expect(replaced.body).toMatchObject({ changed: true });
      expect(await readFile(service.paths.config, 'utf8')).not.toBe(config);
      const { sets } = await backupsOf(service);
      expect(await readFile(join(service.paths.backupDir, sets[0]!, 'proxy.cfg'), 'utf8')).toBe(config);
      expect((await service.processes()).master.pid).toBe(proxy);
    });

    it('imports nothing a second time', async () => {
      await service.unblock('127.15.0.1');
      await again(service);
      expect(await service.listed()).not.toContain('127.15.0.1');
      expect((await service.logText()).match(/Existing map file imported/g)).toHaveLength(1);
    });

    // crash-first-start.test.ts cuts an import off too.
    for (const when of ['before', 'after'])
      itInLongTests(
        `repeats an import that a crash cut off ${when} the file was rewritten, and adds no duplicate`,
        async () => {
          await service.block('127.15.0.1');
          await stopped(service);
          await rm(join(service.paths.stateDir, 'instance.json'));
          if (when === 'before') await writeFile(service.paths.blockedMap, foreignMap);
          await service.launch();
          await service.healthy();
          expect((await service.listed()).sort()).toEqual(imported);
          await expectAgreement(service, imported);
          expect(await readdir(service.paths.stateDir)).toContain('instance.json');
        },
      );
  });

  it('beside a configuration without a rule for the blocked map keeps it, reports it, and enforces after a reload', async () => {
    let config = '';
    const service = await started(bin, {
      before: async (_paths, beginning) => {
        config = ownConfig(beginning).replace(/^.*deny_status.*\n/m, '');
        await proxyByHand(bin, beginning, config);
      },
    });
    // No reload of this configuration could enforce it, so none is promised or made.
    const answer = await service.block('127.16.0.1');
    expect(answer.body).toMatchObject({ runtime_map_updated: false, reload_scheduled: false });
    expect((await service.call('GET', '/api/config/reloads')).body['items']).toEqual([]);
    expect(await readFile(service.paths.config, 'utf8')).toBe(config);
    expect(await service.visit('127.16.0.1')).toBe(200);
    const { body } = await service.health();
    expect(body['status']).toBe('degraded');
    expect(body['reasons'].join('\n')).toContain('has no rule for the blocked map');
    expect((await service.call('POST', '/api/config/reload?replace_configuration=true')).status).toBe(200);
    expect(await service.visit('127.16.0.1')).toBe(403);
    await service.healthy();
  });

  it('without supervision and without a proxy reports that, and recovers when the operator starts one', async () => {
    const service = await started(bin, { supervise: false });
    // There is nothing that it could wait for.
    const { status, body } = await service.block('127.30.0.1');
    expect(status).toBe(201);
    expect(body).toMatchObject({ runtime_map_updated: false, reload_scheduled: true });
    expect(body['runtime_map_failures_total']).toBe(1);
    expect((await service.health()).body).toMatchObject({ status: 'down' });
    expect((await service.health()).status).toBe(503);
    expect(await service.fileEntries()).toEqual(['127.30.0.1 1']);
    const master = await startByHand(bin, service);
    await service.healthy();
    expect((await service.processes()).master.pid).toBe(master);
    expect(await service.visit('127.30.0.1')).toBe(403);
    expect((await service.block('127.30.0.2')).body).toMatchObject({ runtime_map_updated: true });
    expect(await service.visit('127.30.0.2')).toBe(403);
  });
});

describeOnOneProxy('a start at a port that another process uses', ({ bin }) => {
  it('does not share it, reports it, and starts when it is free; then reports a second proxy there by name', async () => {
    let listener: Server | null = null;
    const service = await started(bin, {
      before: async (_paths, { proxyPort }) => {
        listener = await listenOn(proxyPort);
      },
    });
    const named = [
      `127.0.0.1:${service.proxyPort} is held by another process`,
      `port ${service.proxyPort} (process ${process.pid}, `,
    ];
    await eventually('health is down and names the other process', async () => {
      const { body } = await service.health();
      const reasons = body['reasons'].join('\n');
      return body['status'] === 'down' && named.every((text) => reasons.includes(text));
    });
    // Each retry runs until HAProxy cannot bind the port.
    await eventually('no proxy stays', async () => (await service.proxyPids()).length === 0);
    await closed(listener!);
    await service.healthy();
    expect(await service.visit('127.0.0.9')).toBe(200);

    // A listener on another address is not reported.
    const elsewhere = await listenOn(service.proxyPort, '127.0.0.77');
    await service.healthy();
    await closed(elsewhere);
    const config = join(service.paths.prefix, 'second.cfg');
    await writeFile(config, secondConfig(service));
    const proxy = spawn(bin, ['-f', config], { stdio: 'ignore' });
    cleanUps.push(() => gone(proxy));
    const ofProxy = new RegExp(
      `port ${service.proxyPort} \\(process ${proxy.pid}, .*haproxy.*\\): another process listens`,
    );
    await eventually('health is degraded and names the second proxy', async () => {
      const { body } = await service.health();
      return body['status'] === 'degraded' && ofProxy.test(body['reasons'].join('\n'));
    });
    await gone(proxy);
    await service.healthy();
  });
});

describeOnOneProxy('the first start', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin, environment: settableClock });
  });
  afterAll(() => service.stop());

  it('without any files creates them, and serves', async () => {
    await service.healthy();
    expect(await service.visit('127.0.0.9')).toBe(200);
    expect(await readFile(service.paths.blockedMap, 'utf8')).toMatch(/^# proxy-manager database=\S+ generation=0 /);
    expect(await readFile(service.paths.config, 'utf8')).toContain(service.paths.blockedMap);
  });

  describe('and a later one', () => {
    const ips = Array.from({ length: 120 }, (_, n) => `127.20.0.${n + 1}`);
    beforeAll(async () => {
      expect((await service.call('POST', '/api/blocked-ips/batch', { body: { add: ips } })).status).toBe(200);
      await service.healthy();
    });

    /** A refused start must not change these. */
    async function untouched(): Promise<unknown> {
      const { master, current } = await service.processes();
      return { file: await readFile(service.paths.blockedMap, 'utf8'), master: master.pid, worker: current[0]?.pid };
    }
    async function expectRefused(why: RegExp, environment: Record<string, string> = {}): Promise<void> {
      const before = await untouched();
      await rm(service.paths.jsonLog, { force: true });
      await expect(service.launch(environment)).rejects.toThrow(why);
      expect(await service.ended()).toEqual(refusal);
      expect(await untouched()).toEqual(before);
      expect(await service.visit('127.20.0.1')).toBe(403);
    }

    // While no proxy runs: torn-map.test.ts.
    itInLongTests('repairs a damaged map file', async () => {
      await stopped(service);
      const text = await readFile(service.paths.blockedMap, 'utf8');
      await writeFile(service.paths.blockedMap, `${text.replace('127.20.0.7 1', 'no.such.address 1')}127.20.0.1`);
      await service.launch();
      await service.healthy();
      await expectAgreement(service, ips);
    });

    it('serves addresses whose block expired while it was stopped', async () => {
      await service.block('127.21.0.1', { duration_seconds: 60 });
      service.kill('SIGKILL');
      await service.ended();
      await setClock(service.paths.prefix, 120_000);
      expect(await service.visit('127.21.0.1')).toBe(403);
      await service.launch();
      await eventually('it is served again', async () => (await service.visit('127.21.0.1')) === 200);
      await service.healthy();
      await expectAgreement(service, ips);
    });
    it('is refused without its database until an empty one is accepted, which imports the map files', async () => {
      expect((await service.call('PUT', '/api/trusted-ips/127.20.9.9', { body: {} })).status).toBeLessThan(300);
      await stopped(service);
      await rename(service.paths.database, `${service.paths.database}.away`);
      for (const end of ['-wal', '-shm']) await rm(`${service.paths.database}${end}`, { force: true });
      await expectRefused(/--accept-empty-database/);
      expect(await readdir(dirname(service.paths.database))).not.toContain('proxy-manager.sqlite');
      await service.launch({ PROXY_MANAGER_ACCEPT_EMPTY_DATABASE: 'true' });
      await service.healthy();
      await expectAgreement(service, ips);
      expect((await service.listed()).length).toBe(ips.length);
      expect((await service.call('GET', '/api/trusted-ips')).body['items']).toMatchObject([
        { ip_address: '127.20.9.9', note: 'from the map file' },
      ]);
      expect((await service.call('DELETE', '/api/trusted-ips/127.20.9.9')).status).toBeLessThan(300);
      if (!longTests) return;
      await again(service);
      await expectAgreement(service, ips);
    });

    // In parts: take-over.test.ts and open-database.test.ts; a damaged one: refused-starts.test.ts.
    itInLongTests(
      'is refused with an older copy of its database, until the newer entries of the map file are imported',
      async () => {
        const copy = `${service.paths.database}.copy`;
        const database = new Database(service.paths.database, { readonly: true });
        await database.backup(copy);
        database.close();
        const later = ['127.23.0.1', '127.23.0.2'];
        for (const ip of later) await service.block(ip);
        await stopped(service);
        for (const end of ['-wal', '-shm']) await rm(`${service.paths.database}${end}`, { force: true });
        await copyFile(copy, service.paths.database);
        await expectRefused(/newer state of this database.*--adopt-map-file.*--accept-map-file/);
        expect(await service.visit('127.23.0.2')).toBe(403);
        await service.launch({ PROXY_MANAGER_ADOPT_MAP_FILE: 'true' });
        await service.healthy();
        await expectAgreement(service, [...ips, ...later]);
        expect((await service.call('GET', '/api/blocked-ips/127.23.0.1')).body).toMatchObject({
          blocked_by: 'recovered:map-file',
        });
        for (const ip of later) await service.unblock(ip);
      },
    );

    itInLongTests('is refused with the database of another instance', async () => {
      await stopped(service);
      await rename(service.paths.database, `${service.paths.database}.newer`);
      await rename(`${service.paths.database}.away`, service.paths.database);
      await expectRefused(/but this instance used/);
      await rename(`${service.paths.database}.newer`, service.paths.database);
    });

    itInLongTests('is refused with a map file of another database, or a newer one of its own', async () => {
      const own = await readFile(service.paths.blockedMap, 'utf8');
      await writeFile(service.paths.blockedMap, own.replace(/database=\S{8}/, 'database=00000000'));
      await expectRefused(/belongs to database 00000000/);
      await writeFile(
        service.paths.blockedMap,
        own.replace(/generation=(\d+) {3}/, (_text, generation: string) => `generation=9${generation}  `),
      );
      await expectRefused(/newer state of this database/);
      await writeFile(service.paths.blockedMap, own);
    });

    itInLongTests(
      'is refused if the rewrite would drop more than half of the file, until that is accepted',
      async () => {
        const lines = Array.from({ length: 200 }, (_, n) => `127.22.0.${n + 1} 1\n`).join('');
        await appendFile(service.paths.blockedMap, lines);
        await expectRefused(/would drop more than half/);
        await service.launch({ PROXY_MANAGER_ACCEPT_MAP_FILE: 'true' });
        await service.healthy();
        await expectAgreement(service, ips);
        expect(await service.visit('127.22.0.1')).toBe(200);
      },
    );

    itInLongTests('is refused with a database newer than the code', async () => {
      await stopped(service);
      const database = new Database(service.paths.database);
      database.prepare("INSERT INTO schema_migrations VALUES ('9999-from-the-future', '2030-01-01')").run();
      await expectRefused(/9999-from-the-future/);
      database.prepare("DELETE FROM schema_migrations WHERE name = '9999-from-the-future'").run();
      database.close();
    });

    itInLongTests('is refused with a damaged database', async () => {
      const copy = `${service.paths.database}.whole`;
      await copyFile(service.paths.database, copy);
      await writeFile(service.paths.database, 'this was a database once'.repeat(500));
      await expectRefused(/cannot be used/);
      await copyFile(copy, service.paths.database);
      await service.launch();
      await service.healthy();
    });

    it('is refused beside another service with the same map or master socket', async () => {
      const environment = { PROXY_MANAGER_LISTEN: '127.0.0.1:0' };
      const first = await second(bin, { ...own(service), ...environment });
      expect(first.output).toContain(`another proxy-manager works on ${service.paths.blockedMap} already`);
      expect(first.code).toBe(1);
      const elsewhere = await mkdtemp(join(tmpdir(), 'pms-'));
      cleanUps.push(() => rm(elsewhere, { recursive: true }));
      const other = await second(bin, {
        ...environment,
        PROXY_MANAGER_PREFIX: elsewhere,
        PROXY_MANAGER_MASTER_SOCKET: service.paths.masterSocket,
      });
      expect(other.output).toContain(`another proxy-manager works on HAProxy at ${service.paths.masterSocket} already`);
      expect(other.code).toBe(1);
      // Fails before it takes a lock; the running service keeps the sites up.
      const misspelt = { PROXY_MANAGER_SUPERVISE: 'true', PROXY_MANAGER_LISTNE: '127.0.0.1:0' };
      const third = await second(bin, { ...own(service), ...misspelt });
      expect(third.output).toContain('HAProxy was not started: another proxy-manager works on HAProxy');
      expect(third.code).toBe(2);
      await service.healthy();
    });

    it('is refused without leaving a process behind if the API’s port is in use', async () => {
      await stopped(service);
      const before = (await service.processes()).current;
      const listener = await listenOn(service.apiPort);
      // The other process would answer the readiness probe.
      const { code, output } = await second(bin, { ...own(service), PROXY_MANAGER_SUPERVISE: 'true' });
      expect(code).toBe(1);
      expect(output).toMatch(
        new RegExp(
          `cannot listen on \\S+ \\(PROXY_MANAGER_LISTEN\\): port ${service.apiPort} \\(process ${process.pid}, .*\\) is already in use; stop that process`,
        ),
      );
      expect(output).toMatch(/HAProxy \(process \d+\) is running and was left unchanged/);
      expect(await service.visit('127.20.0.1')).toBe(403);
      expect((await service.processes()).current).toEqual(before);
      await closed(listener);
    });
  });
});

/** An operator's configuration: it denies by the map, and does not know the service. */
function ownConfig(service: RealService): string {
  return `# made by hand
global
  stats socket ${service.paths.statsSocket} mode 600 level admin
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend shop
  bind 127.0.0.1:${service.proxyPort}
  http-request deny deny_status 403 if { src,map_ip(${service.paths.blockedMap},0) -m int gt 0 }
  http-request return status 200 content-type text/plain string shop
`;
}

function secondConfig(service: RealService): string {
  return `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend second
  bind 127.0.0.1:${service.proxyPort}
  http-request return status 204
`;
}

async function proxyByHand(bin: string, service: RealService, config: string): Promise<number> {
  for (const path of Object.values(service.paths)) await mkdir(dirname(path), { recursive: true });
  await writeFile(service.paths.config, config);
  await writeFile(service.paths.blockedMap, '');
  return await startByHand(bin, service);
}

/** As an init script does it; returns the master's pid. Ends with the service of its folder. */
async function startByHand(bin: string, service: RealService): Promise<number> {
  const { masterSocket, pidFile, config } = service.paths;
  const proxy = spawn(bin, ['-W', '-S', `${masterSocket},mode,600`, '-p', pidFile, '-f', config], { stdio: 'ignore' });
  await service.workerPid();
  return Number(proxy.pid);
}

function own(service: RealService): Record<string, string> {
  return {
    PROXY_MANAGER_PREFIX: service.paths.prefix,
    PROXY_MANAGER_LISTEN: `127.0.0.1:${service.apiPort}`,
    PROXY_MANAGER_HTTP_BIND: `127.0.0.1:${service.proxyPort}`,
  };
}

/** Exit code and output of a start that should be refused. */
async function second(bin: string, environment: Record<string, string>): Promise<{ code: number; output: string }> {
  const child = spawn(program(), ['serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${process.env['PATH']}:/usr/sbin`,
      ...certificates(),
      PROXY_MANAGER_NODE: process.execPath,
      NODE_COMPILE_CACHE: compileCache(),
      PROXY_MANAGER_API_KEY: 'test-key-0123456789abcdef',
      PROXY_MANAGER_PROXY_BIN: bin,
      ...environment,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  try {
    await eventually('it ended', () => child.exitCode !== null || child.signalCode !== null);
    return { code: Number(child.exitCode), output };
  } finally {
    child.kill('SIGKILL');
  }
}

async function stopped(service: RealService): Promise<void> {
  service.kill('SIGTERM');
  expect(await service.ended()).toEqual({ code: 0, signal: null });
}

async function again(service: RealService): Promise<void> {
  await stopped(service);
  await service.launch();
  await service.healthy();
}

async function backupsOf(service: RealService): Promise<{ sets: string[] }> {
  const names = await readdir(service.paths.backupDir);
  return { sets: names.filter((name) => /^\d/.test(name)).sort() };
}

function listenOn(port: number, host = '127.0.0.1'): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

async function gone(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await eventually('it is gone', () => child.exitCode !== null || child.signalCode !== null);
}
