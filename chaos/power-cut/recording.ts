// Records a service with strace, from its first start, and the answers to its clients.
import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { processAlive, processStartTime } from '../../src/system/processes.ts';
import { eventually } from '../../testkit/conditions.ts';
import { RealService } from '../../testkit/real-service.ts';
import type { Random } from '../random.ts';
import { systemCalls } from './system-calls.ts';
import { type Disk, diskAt, recordedCalls, WriteLog } from './write-log.ts';

/** In the map file before the first start, and never changed. */
export const heldBefore = ['127.80.0.1', '127.80.0.2', '127.80.0.0/30'];

export interface Operation {
  readonly id: string;
  readonly what: string;
  /** Address → blocked afterwards. */
  readonly changes: ReadonlyMap<string, boolean>;
}

export interface Recording {
  readonly service: RealService;
  readonly log: WriteLog;
  /** In sending order; two operations on one address never overlap. */
  readonly operations: readonly Operation[];
  before(): Disk;
  /** Created by the first start; clients used it. */
  readonly key: string;
  stop(): Promise<void>;
}

export function straceIsThere(): boolean {
  return spawnSync('strace', ['--version']).status === 0;
}

export async function record(bin: string, random: Random): Promise<Recording> {
  const folder = await mkdtemp(join(tmpdir(), 'pm-cut-'));
  const strace = join(folder, 'strace.txt');
  const wrapper = join(folder, 'node');
  // Strace as a grandchild, so that the killed pid is the service's.
  await writeFile(
    wrapper,
    `#!/bin/sh\n[ "$1" != -p ] || exec '${process.execPath}' "$@"\nexec strace -D -f -y -xx -s 4000000 -e signal=kill -e trace=${recordedCalls} -o '${strace}' '${process.execPath}' "$@"\n`,
  );
  await chmod(wrapper, 0o755);
  const before = join(folder, 'before');
  const service = await RealService.start({
    bin,
    environment: { PROXY_MANAGER_NODE: wrapper, PROXY_MANAGER_API_KEY: '' },
    before: async ({ blockedMap, prefix }) => {
      await mkdir(dirname(blockedMap), { recursive: true });
      await writeFile(blockedMap, heldBefore.map((ip) => `${ip} 1\n`).join(''));
      await cp(prefix, before, { recursive: true });
    },
  });
  try {
    service.key = (await readFile(join(service.paths.stateDir, 'api-key'), 'utf8')).trim();
    const operations = await runProgram(service, random);
    service.kill('SIGKILL');
    await service.ended();
    await killProxies(service);
    const text = await eventually('strace has written everything', async () => {
      const written = await readFile(strace, 'latin1');
      return written.includes('+++ killed by SIGKILL +++') && written.endsWith('+++\n') ? written : null;
    });
    return {
      service,
      operations,
      before: () => diskAt(before),
      key: service.key,
      log: new WriteLog(systemCalls(text.split('\n')), service.paths.prefix),
      stop: async () => {
        await service.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Includes orphans. */
export async function killProxies(service: RealService): Promise<void> {
  for (const pid of await service.proxyPids()) {
    const startTime = await processStartTime(pid);
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    await eventually('HAProxy is dead', async () => !(await processAlive(pid, startTime)));
  }
}

const clients = 3;

/** Blocks and unblocks by several clients, a batch, a replacement, a sync, a reload, and blocks and unblocks again. */
async function runProgram(service: RealService, random: Random): Promise<Operation[]> {
  const operations: Operation[] = [];
  const send = async (
    what: string,
    method: string,
    path: string,
    body: string | object | null,
    changes: Operation['changes'] = new Map(),
  ): Promise<void> => {
    const id = `op-${operations.length + 1}`;
    operations.push({ id, what, changes });
    await ask(service, { id, method, path, body });
  };
  const one = (ip: string, blocked: boolean): Promise<void> =>
    blocked
      ? send(`block ${ip}`, 'POST', '/api/blocked-ips', { ip_address: ip }, new Map([[ip, true]]))
      : send(`unblock ${ip}`, 'DELETE', `/api/blocked-ips/${ip}`, null, new Map([[ip, false]]));
  const known = new Map<string, boolean>();
  const few = async (network: number, count: number): Promise<void> => {
    const own = Array.from({ length: clients }, () => random.fork());
    await Promise.all(
      own.map(async (choice, client) => {
        for (let step = 0; step < count; step += 1) {
          const ip = `127.${network}.${client}.${choice.integer(1, 9)}`;
          const blocked = known.get(ip) !== true;
          known.set(ip, blocked);
          await one(ip, blocked);
        }
      }),
    );
  };
  await few(81, 8);
  const add = Array.from({ length: 40 }, (_, index) => `127.82.0.${index + 1}`);
  const remove = [...known].filter(([ip, blocked]) => blocked && ip.startsWith('127.81.0.')).map(([ip]) => ip);
  const batch = new Map([...add.map((ip) => [ip, true] as const), ...remove.map((ip) => [ip, false] as const)]);
  await send('batch', 'POST', '/api/blocked-ips/batch', { add, remove }, batch);
  for (const [ip, blocked] of batch) known.set(ip, blocked);
  await send('sync', 'POST', '/api/blocked-ips/sync', null);
  await few(83, 3);
  const kept = [...known].filter(([, blocked]) => blocked && random.next() < 0.5).map(([ip]) => ip);
  const fresh = Array.from({ length: 1_300 }, (_, index) => `127.84.${Math.floor(index / 250)}.${(index % 250) + 1}`);
  const whole = new Set([...heldBefore, ...kept, ...fresh]);
  const replaced = new Map([...known.keys(), ...whole].map((ip) => [ip, whole.has(ip)] as const));
  await send('PUT', 'PUT', '/api/blocked-ips?allow_shrink=true', [...whole].join('\n'), replaced);
  for (const [ip, blocked] of replaced) known.set(ip, blocked);
  const servers = [{ address: '127.0.0.1', port: 9, options: { check: false } }];
  await send('site', 'PUT', '/api/sites/one.example', { servers });
  await few(85, 4);
  await send('trust', 'PUT', '/api/trusted-ips/127.86.0.1', {});
  await send('reload', 'POST', '/api/config/reload', null);
  await few(87, 4);
  return operations;
}

interface RecordedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Text is sent unchanged. */
  readonly body: string | object | null;
}

function ask(service: RealService, { id, method, path, body }: RecordedRequest): Promise<void> {
  const text = typeof body === 'object' && body !== null ? JSON.stringify(body) : body;
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  const headers = {
    authorization: `Bearer ${service.key}`,
    'x-request-id': id,
    ...(text === null ? {} : { 'content-type': type }),
  };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: service.apiPort, method, path, headers, agent: false };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`${method} ${path}: ${statusCode} ${Buffer.concat(chunks).toString('utf8')}`));
      });
    });
    request.once('error', reject);
    request.end(text);
  });
}
