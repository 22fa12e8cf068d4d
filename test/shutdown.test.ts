// Requests in progress are answered and HAProxy keeps enforcing; a trial stops its proxy too.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandLine } from '../src/system/processes.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { compileCache } from '../testkit/program.ts';
import { describeOnNewestProxy, describeOnOneProxy, itInLongTests } from '../testkit/proxies.ts';
import { certificates, RealService } from '../testkit/real-service.ts';
import { suspend } from '../testkit/suspend.ts';
import { expectAgreement } from '../testkit/traffic.ts';
import { startUpstream } from '../testkit/upstream.ts';

const clean = { code: 0, signal: null };

describeOnNewestProxy('the end of the service', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service.stop());

  it('answers 50 blocks and a slow upload in progress, and leaves HAProxy running and enforcing', async () => {
    const before = await service.processes();
    const ips = Array.from({ length: 50 }, (_, n) => `127.40.0.${n + 1}`);
    const agent = new Agent({ keepAlive: true, maxSockets: ips.length });
    await Promise.all(ips.map(() => ask(service, agent, 'GET', '/livez')));
    const upload = slowUpload(service, ['127.41.0.1\n', ...ips.map((ip) => `${ip}\n`)]);
    await upload.half;
    const answers = ips.map((ip) => ask(service, agent, 'POST', '/api/blocked-ips', { ip_address: ip }));
    await Promise.race(answers);
    service.kill('SIGTERM');
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(ips.map(() => 201));
    await eventually('it takes no new connection', async () => await refuses(service));
    upload.finish();
    expect(await upload.status).toBe(200);
    agent.destroy();
    expect(await service.ended()).toEqual(clean);

    const log = await service.logText();
    expect(log).toContain('Service stops why=SIGTERM');
    expect(log).toContain('Service stopped');
    expect(log).not.toContain('cut off');
    expect(await service.visit('127.40.0.50')).toBe(403);
    expect(await service.visit('127.41.0.1')).toBe(403);
    const after = await service.processes();
    expect(after.master.pid).toBe(before.master.pid);
    expect(after.current[0]?.pid).toBe(before.current[0]?.pid);
    await service.launch();
    await service.healthy();
    await expectAgreement(service, ['127.41.0.1', ...ips]);
  });

  it('takes no longer when HAProxy’s worker hangs, and is clean in the middle of a start', async () => {
    const worker = await service.workerPid();
    await suspend(worker);
    try {
      const { status, body } = await service.block('127.42.0.1');
      expect(status).toBe(201);
      expect(body).toMatchObject({ runtime_map_updated: false });
      service.kill('SIGTERM');
      expect(await service.ended()).toEqual(clean);
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    await rm(service.paths.log);
    const launching = service.launch().then(
      () => null,
      (error: unknown) => error,
    );
    await eventually('it has begun to start', async () => (await service.logText()).includes('HAProxy version'));
    service.kill('SIGTERM');
    expect(await service.ended()).toEqual(clean);
    await launching;
    await service.launch();
    await service.healthy();
    expect(await service.visit('127.42.0.1')).toBe(403);
  });

  it('is not caused by SIGHUP, which reopens the manager log', async () => {
    const old = `${service.paths.log}.1`;
    await rename(service.paths.log, old);
    await service.block('127.43.0.1');
    expect(await readFile(old, 'utf8')).toContain('127.43.0.1');
    service.kill('SIGHUP');
    await eventually('the log is there again', async () =>
      (await readdir(join(old, '..'))).includes('proxy-manager.log'),
    );
    await service.block('127.43.0.2');
    expect(await service.logText()).toContain('ip_address=127.43.0.2');
    expect(await readFile(old, 'utf8')).not.toContain('127.43.0.2');
  });
});

describeOnOneProxy('the end of a trial', ({ bin }) => {
  let prefix = '';
  let apiPort = 0;
  let child: ChildProcess | null = null;
  let output = '';
  beforeAll(async () => {
    prefix = await mkdtemp(join(tmpdir(), 'pmt-'));
    apiPort = await freePort();
  });
  afterAll(async () => {
    child?.kill('SIGKILL');
    for (const pid of await processesBelow(prefix)) process.kill(pid, 'SIGKILL');
    await rm(prefix, { recursive: true, force: true });
  });

  async function start(api = apiPort): Promise<ChildProcess> {
    output = '';
    child = spawn(process.execPath, [join(import.meta.dirname, '../src/trial.ts')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${process.env['PATH']}:/usr/sbin`,
        NODE_COMPILE_CACHE: compileCache(),
        ...certificates(),
        PROXY_MANAGER_PREFIX: prefix,
        PROXY_MANAGER_LISTEN: `127.0.0.1:${api}`,
        PROXY_MANAGER_HTTP_BIND: `127.0.0.1:${await freePort()}`,
        PROXY_MANAGER_HTTPS_BIND: `127.0.0.1:${await freePort()}`,
        PROXY_MANAGER_PROXY_BIN: bin,
      },
    });
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (bytes: Buffer) => {
        output += bytes.toString();
      });
    return child;
  }

  async function ended(trial: ChildProcess): Promise<number | null> {
    await eventually('the trial ended', () => trial.exitCode !== null || trial.signalCode !== null);
    return trial.exitCode;
  }

  async function endedBy(trial: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    trial.kill(signal);
    expect(await ended(trial)).toBe(0);
    await eventually('no process is left', async () => (await processesBelow(prefix)).length === 0);
  }

  // `npm test` sends SIGHUP to the one that listens: each takes seconds to start.
  itInLongTests('by SIGINT leaves no process behind', async () => {
    const trial = await start();
    await eventually('it prints the lines to paste', () => output.includes('To block an address'));
    expect((await processesBelow(prefix)).length).toBeGreaterThanOrEqual(2);
    await endedBy(trial, 'SIGINT');
  });

  itInLongTests('during the start of its proxy leaves no process behind', async () => {
    const trial = await start();
    await eventually('HAProxy is there', async () => (await processesBelow(prefix)).length > 0);
    trial.kill('SIGINT');
    expect(await ended(trial)).toBe(0);
    expect(await processesBelow(prefix)).toEqual([]);
  });

  it('that cannot listen leaves no process behind and reports why; a listening one ends by SIGHUP', async () => {
    const first = await start();
    await eventually('it prints the lines to paste', () => output.includes('For other commands'));
    const server = await startUpstream('shop');
    /** What the printed line with these words prints. */
    const paste = async (words: string): Promise<string> => {
      const line = output.split('\n').find((one) => one.includes(words)) ?? 'false';
      return (await promisify(execFile)('sh', ['-c', line.replace('127.0.0.1:9000', `127.0.0.1:${server.port}`)]))
        .stdout;
    };
    expect(await paste('curl -sk ')).toBe('200\n');
    expect(await paste(' site set ')).toContain('trial.example.com is live');
    expect(await paste(' certificate add ')).toMatch(
      /: trial\.example\.com\n(.*\n)* {2}1 current worker read back to hold it\n(.*\n)* {2}a TLS connection to HAProxy got it\n/,
    );
    expect(await paste('curl -skv ')).toMatch(/^\* {2}subject: CN=trial\.example\.com\n< HTTP\/2 200\s*\n$/);
    await server.stop();
    const other = prefix;
    prefix = await mkdtemp(join(tmpdir(), 'pmt-'));
    try {
      const second = await start();
      expect(await ended(second)).toBe(1);
      expect(output).toContain('(PROXY_MANAGER_LISTEN): port');
      expect(await processesBelow(prefix)).toEqual([]);
    } finally {
      await rm(prefix, { recursive: true, force: true });
      prefix = other;
    }
    await endedBy(first, 'SIGHUP');
  });
});

function ask(
  service: RealService,
  agent: Agent,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
    const request = httpRequest(
      { host: '127.0.0.1', port: service.apiPort, method, path, headers, agent },
      (response) => {
        response.resume().once('end', () => resolve({ status: response.statusCode ?? 0 }));
      },
    );
    request.once('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Sends the first line of a list; `finish` sends the rest. */
function slowUpload(service: RealService, lines: readonly string[]) {
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'text/plain', expect: '100-continue' };
  const request = httpRequest({
    host: '127.0.0.1',
    port: service.apiPort,
    method: 'PUT',
    path: '/api/blocked-ips',
    headers,
    agent: false,
  });
  const half = new Promise<void>((resolve, reject) => {
    // The service has accepted the request.
    request.once('continue', () => request.write(lines[0], () => resolve()));
    request.once('error', reject);
  });
  request.flushHeaders();
  const status = new Promise<number>((resolve, reject) => {
    request.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)));
    request.once('error', reject);
  });
  return { half, status, finish: () => request.end(lines.slice(1).join('')) };
}

async function refuses(service: RealService): Promise<boolean> {
  try {
    await service.call('GET', '/livez');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  }
}

async function processesBelow(folder: string): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = await commandLine(Number(name));
    if (words?.some((word) => word.startsWith(`${folder}/`)) === true) pids.push(Number(name));
  }
  return pids;
}
