// Everything works, and another user can neither read the service's secrets, write its files nor connect to its
// sockets.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { chmod, lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInTemplate } from '../src/configuration/template/builtin-template.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy, itInLongTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { madeCertificate, servedSha1 } from '../testkit/tls/made-certificate.ts';
import { type UnprivilegedUser, unprivilegedUser } from '../testkit/unprivileged.ts';

const isRoot = getuid?.() === 0;
const otherUser = 54_322;
const folder = mkdtempSync(join(tmpdir(), 'pmu-'));
await chmod(folder, 0o755);
const user = unprivilegedUser(folder);
const closed = join(folder, 'closed');
mkdirSync(closed, { mode: 0o700 });
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Null if every user may bind any port on this machine. */
async function lowPort(): Promise<number | null> {
  if (Number(await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8')) < 1_024) return null;
  return await freePort(600, 1_024);
}

interface Start {
  readonly capabilities?: readonly string[];
  readonly proxyPort?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

function start(bin: string, { uid, program, node, command }: UnprivilegedUser, options: Start = {}) {
  const { capabilities = [], environment = {}, ...rest } = options;
  // Under the umask 0, from a folder that the user may not enter, as after `sudo -u` in root's home.
  const inFolder = 'cd "$0" && umask 0 && exec "$@"';
  const words = [program, 'serve'];
  return RealService.start({
    bin,
    ...rest,
    environment: { PROXY_MANAGER_NODE: node, ...environment },
    command: () => ['sh', '-c', inFolder, closed, ...command(words, capabilities)],
    before: async ({ prefix }) => {
      chownSync(prefix, uid, uid);
      await chmod(prefix, 0o755);
    },
  });
}

const noCapability = '0000000000000000';
const bindsLowPorts = '0000000000000400';

const status = async (pid: number) => {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.trim().split(/\s+/) ?? [];
  return {
    uids: field('Uid').map(Number),
    groups: field('Groups').filter(Boolean),
    effective: field('CapEff')[0] ?? '',
  };
};

describeOnNewestProxy('as a user without rights,', ({ bin }) => {
  if (user === null) {
    it.skip('needs setpriv (util-linux) to be run from root');
    return;
  }
  let service: RealService;
  // Below 1024, with the one capability that this needs.
  let port: number | null;
  let httpsPort: number;
  const made = madeCertificate(['a.example']);
  beforeAll(async () => {
    port = isRoot ? await lowPort() : null;
    const low = port === null ? {} : { proxyPort: port, capabilities: ['net_bind_service'] };
    httpsPort = await freePort();
    const environment = { PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${httpsPort}` };
    service = await start(bin, user, { ...low, environment });
  });
  afterAll(() => service?.stop());

  it('runs service and proxy as one user without further groups or privileges, except ports below 1024', async () => {
    const pids = [service.pid, ...(await service.proxyPids())];
    expect(pids.length).toBeGreaterThanOrEqual(3);
    for (const pid of pids) {
      expect(await status(pid)).toMatchObject({
        uids: Array(4).fill(user.uid),
        ...(isRoot ? { groups: [], effective: port === null ? noCapability : bindsLowPorts } : {}),
      });
    }
  });

  it('blocks, unblocks, syncs, reloads and serves certificates', async () => {
    expect((await service.block('127.0.0.77')).body).toMatchObject({ runtime_map_updated: true });
    expect(await service.visit('127.0.0.77')).toBe(403);
    expect((await service.unblock('127.0.0.77')).body).toMatchObject({ runtime_map_updated: true });
    expect(await service.visit('127.0.0.77')).toBe(200);
    await service.block('127.0.0.78');
    expect((await service.call('POST', '/api/blocked-ips/sync')).status).toBe(200);
    const reload = await service.call('POST', '/api/config/reload');
    expect(reload.body).toMatchObject({ status: 'completed' });
    expect(reload.body['worker_after']).not.toBe(reload.body['worker_before']);
    expect(await service.visit('127.0.0.78')).toBe(403);
    const site = { servers: [{ address: '127.0.0.1', port: service.apiPort }] };
    expect((await service.call('PUT', '/api/sites/a.example', { body: site })).status).toBe(201);
    const upload = { certificate: made.certificate, private_key: made.privateKey };
    const installed = await service.call('POST', '/api/certificates', { body: upload });
    expect(installed.body).toMatchObject({ files: 'durable', runtime_updated: true, handshake: 'seen' });
    await service.healthy();
  });

  it('works after a restart of the service and after the death of HAProxy', async () => {
    service.kill('SIGKILL');
    await service.ended();
    await service.launch();
    expect(await service.visit('127.0.0.78')).toBe(403);
    for (const pid of await service.proxyPids()) process.kill(pid, 'SIGKILL');
    await eventually('the new proxy denies', async () => (await service.visit('127.0.0.78')) === 403);
    expect(await servedSha1(httpsPort, 'a.example')).toBe(made.sha1);
    await service.healthy();
  });

  itInLongTests('reports in the words of HAProxy that it may not change its group', async () => {
    const template = join(folder, 'group.liquid');
    await writeFile(template, builtInTemplate);
    const beside = await start(bin, user, { environment: { PROXY_MANAGER_TEMPLATE: template } });
    try {
      await beside.healthy();
      // The check accepts it: only a starting worker changes its group.
      await writeFile(template, builtInTemplate.replace('\nglobal\n', '\nglobal\n    gid 1\n'));
      const { body } = await beside.call('POST', '/api/config/reload');
      const words = expect.stringContaining('Cannot set gid 1');
      expect(body).toMatchObject({ restored: true, output: words, detail: words });
      expect((await beside.health()).body['last_reload']).toMatchObject({ status: 'failed', error: words });
      await beside.healthy();
    } finally {
      await beside.stop();
    }
  });

  it('opens no debugger on SIGUSR1', async () => {
    service.kill('SIGUSR1');
    await eventually('it was logged', async () => (await service.logText()).includes('SIGUSR1 is ignored'));
    expect(await readFile(service.paths.jsonLog, 'utf8')).not.toContain('Debugger');
    expect((await service.health()).status).toBe(200);
  });

  it('creates nothing that others may write, and no secret that they may read', async () => {
    const names = await readdir(service.paths.prefix, { recursive: true });
    expect(names.length).toBeGreaterThan(15);
    const modes: Record<string, string> = {};
    for (const name of names) {
      const found = await lstat(join(service.paths.prefix, name));
      if (found.isSymbolicLink() || name === 'stdout.log') continue;
      expect({ name, uid: found.uid }).toEqual({ name, uid: user.uid });
      expect({ name, forOthersToWrite: found.mode & 0o002 }).toEqual({ name, forOthersToWrite: 0 });
      modes[name] = (found.mode & 0o777).toString(8);
    }
    const state = 'var/lib/proxy-manager';
    expect(modes).toMatchObject({
      [state]: '700',
      [`${state}/proxy-manager.sqlite`]: '600',
      [`${state}/proxy-manager.sqlite-wal`]: '600',
      [`${state}/proxy-manager.sqlite-shm`]: '600',
      [`${state}/backups`]: '700',
      [`${state}/secret`]: '600',
      [`${state}/instance.json`]: '640',
      [`${state}/proxy-output.log`]: '640',
      'etc/proxy': '755',
      'etc/proxy/blocked_ips.map': '640',
      'etc/proxy/trusted_ips.map': '640',
      'etc/proxy/proxy.cfg': '640',
      'etc/proxy/blocked_ips.map.lock': '600',
      'etc/proxy/tls': '700',
      'etc/proxy/tls/.tmp': '700',
      'etc/proxy/tls/default.pem': '600',
      'etc/proxy/tls/certificates.list': '600',
      'tmp/proxy-cli': '600',
      'tmp/proxy-cli.lock': '600',
      'var/run/proxy.sock': '660',
      'var/log/proxy-manager.log': '640',
    });
    const pems = Object.keys(modes).filter((name) => /\/c-[a-z2-7]{10}\.pem$/.test(name));
    expect(pems.map((name) => modes[name])).toEqual(['600']);
    expect(await service.logText()).not.toMatch(/File permissions are/);
  });

  it.runIf(isRoot)('lets another user of the machine read no secret and reach no socket', async () => {
    const { paths } = service;
    const tried = (words: readonly string[]) => {
      const [program, ...rest] = user.command(words).map((word) => word.replace(String(user.uid), String(otherUser)));
      return spawnSync(program!, rest, { encoding: 'utf8' }).status;
    };
    expect(tried(['cat', '/etc/passwd'])).toBe(0);
    for (const path of [
      paths.config,
      paths.blockedMap,
      paths.trustedMap,
      paths.database,
      paths.stateDir,
      paths.backupDir,
      paths.log,
      `${paths.masterSocket}.lock`,
      `${paths.blockedMap}.lock`,
      `/proc/${service.pid}/environ`,
    ]) {
      expect({ path, read: tried(['cat', path]) }).not.toEqual({ path, read: 0 });
    }
    for (const path of [paths.masterSocket, paths.statsSocket, paths.config, paths.blockedMap, paths.pidFile]) {
      expect({ path, write: tried(['test', '-w', path]) }).not.toEqual({ path, write: 0 });
    }
    for (const path of [paths.config, paths.blockedMap, paths.masterSocket, paths.pidFile]) {
      expect({ path, removed: tried(['rm', '-f', path]) }).not.toEqual({ path, removed: 0 });
    }
  });

  it.runIf(isRoot)('works with a proxy of root whose master socket its group may use', async () => {
    const { uid } = user;
    const beside = await start(bin, user, { environment: { PROXY_MANAGER_SUPERVISE: 'false' } });
    const { masterSocket, pidFile, config } = beside.paths;
    const master = spawn(bin, ['-W', '-S', `${masterSocket},mode,660,gid,${uid}`, '-p', pidFile, '-f', config], {
      stdio: 'ignore',
      cwd: '/',
    });
    try {
      await beside.healthy();
      expect((await status(master.pid!)).uids).toEqual([0, 0, 0, 0]);
      expect(await status(beside.pid)).toMatchObject({ uids: Array(4).fill(uid), effective: noCapability });
      expect((await beside.block('127.0.0.80')).body).toMatchObject({ runtime_map_updated: true });
      expect(await beside.visit('127.0.0.80')).toBe(403);
      expect((await beside.call('POST', '/api/config/reload')).body).toMatchObject({ status: 'completed' });
      expect(await beside.visit('127.0.0.80')).toBe(403);
    } finally {
      await beside.stop();
    }
  });
});
