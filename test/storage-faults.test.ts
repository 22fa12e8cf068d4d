// A disk that is full, read-only, failing or slow at each write, and a locked or missing database: acknowledged changes
// are durable, others get a 503, everything else works, and the service recovers within ten seconds of the disk.
import { appendFile, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { type FailingCalls, failCalls, mayTrace } from '../testkit/failing-calls.ts';
import { fillDisk, makeRoom, mayMount, mountDisk } from '../testkit/own-disk.ts';
import { describeOnOneProxy, sampled, testProxies } from '../testkit/proxies.ts';
import { type Answer, type JsonBody, RealService } from '../testkit/real-service.ts';
import { expectAgreement } from '../testkit/traffic.ts';

/** Needs root and strace. */
const possible = mayMount() && mayTrace();

/** Acknowledged so far. An address whose answer was 503 may be either, and is not checked. */
class Blocked {
  readonly #service: RealService;
  readonly acknowledged = new Set<string>();
  #nth = 0;

  constructor(service: RealService) {
    this.#service = service;
  }

  /** Blocks a new address. @returns the status, 201 or 503 */
  async block(): Promise<number> {
    this.#nth += 1;
    const ip = `127.1.${this.#nth >> 8}.${this.#nth & 255}`;
    // Answered while the disk still fails.
    const answer = await this.#service.block(ip);
    if (answer.status === 201) this.acknowledged.add(ip);
    else expectRefusal(answer);
    if (answer.body['runtime_map_updated'] === true) expect(await this.#service.visit(ip)).toBe(403);
    return answer.status;
  }

  async three(): Promise<number[]> {
    return [await this.block(), await this.block(), await this.block()];
  }

  /** Nothing acknowledged is lost; database, file and worker agree. */
  async expectTruth(): Promise<void> {
    await expectAgreement(this.#service, this.acknowledged);
    for (const ip of [...this.acknowledged].slice(-5)) expect(await this.#service.visit(ip), ip).toBe(403);
    expect(await this.#service.visit('127.0.9.9')).toBe(200);
  }
}

function expectRefusal(answer: Answer<JsonBody>): void {
  expect(answer, answer.text).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    body: { code: expect.any(Number), detail: expect.stringMatching(/\w/) },
  });
}

interface FailingDisk {
  readonly name: string;
  readonly fails: FailingCalls;
  /** The status of each block; `any`: both are allowed. */
  readonly blocks: 201 | 503 | 'any';
  /** The reason in /health; null: it may be ok. */
  readonly says: RegExp | null;
  readonly editMap?: boolean;
}

function failingDisks({ database, blockedMap, log, jsonLog }: RealService['paths']): readonly FailingDisk[] {
  const paths = [`${database}-wal`];
  const nothing = 'pwrite64,rename,ftruncate,unlink,unlinkat,mkdir';
  return [
    { name: 'database full', fails: { calls: 'pwrite64', how: 'error=ENOSPC', paths }, blocks: 503, says: /no space/ },
    { name: 'database broken', fails: { calls: 'pwrite64', how: 'error=EIO', paths }, blocks: 503, says: /IOERR/ },
    {
      name: 'database not synced',
      fails: { calls: 'fsync,fdatasync', how: 'error=EIO', paths },
      blocks: 503,
      says: /IOERR/,
    },
    {
      name: 'one sync lost',
      fails: { calls: 'fsync,fdatasync', how: 'error=EIO', paths, when: '1' },
      blocks: 'any',
      says: null,
    },
    {
      name: 'map file broken',
      fails: { calls: 'pwrite64', how: 'error=EIO', paths: [blockedMap] },
      blocks: 'any',
      says: null,
    },
    {
      name: 'map file not synced',
      fails: { calls: 'fsync,fdatasync', how: 'error=EIO', paths: [blockedMap] },
      blocks: 'any',
      says: null,
    },
    { name: 'nothing synced', fails: { calls: 'fdatasync,fsync', how: 'error=EIO' }, blocks: 503, says: /IOERR/ },
    {
      name: 'a map that was edited outside the service, and cannot be replaced',
      fails: { calls: 'rename', how: 'error=EROFS' },
      blocks: 503,
      says: /map file.*EROFS/,
      editMap: true,
    },
    { name: 'read-only', fails: { calls: nothing, how: 'error=EROFS' }, blocks: 503, says: /database/ },
    {
      name: 'log full',
      fails: { calls: 'write', how: 'error=ENOSPC', paths: [log, jsonLog] },
      blocks: 201,
      says: null,
    },
  ];
}

describeOnOneProxy('a disk', ({ bin }) => {
  it('that fails at any write loses no acknowledged change, and recovers with the disk', async () => {
    const service = await RealService.start({ bin, before: ({ prefix }) => mountDisk(prefix, 48) });
    try {
      await service.healthy();
      const blocked = new Blocked(service);
      const { pid } = service;
      expect(await blocked.block()).toBe(201);
      await tooLarge(service, blocked);
      await full(service, blocked);
      for (const disk of sampled(failingDisks(service.paths), (_, index) => [0, 6, 9].includes(index)))
        await failing(service, blocked, disk);
      await slow(service, blocked);
      await locked(service, blocked);
      await takenAway(service, blocked);
      expect(service.pid).toBe(pid);
      service.kill('SIGKILL');
      await service.ended();
      await service.launch();
      await service.healthy();
      await blocked.expectTruth();
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await service.logText()}`, { cause: error });
    } finally {
      await service.stop();
    }
  });
});

/** The rows of a list that does not fit must not take the room of later changes. */
async function tooLarge(service: RealService, blocked: Blocked): Promise<void> {
  const { prefix } = service.paths;
  await fillDisk(prefix, 3_000_000);
  const entries = (count: number, length: number) =>
    Array.from({ length: count }, (_, n) => ({
      ip_address: `10.9.${n >> 8}.${n & 255}`,
      reason: `${n} `.padEnd(length, '.'),
    }));
  expectRefusal(await service.call('PUT', '/api/blocked-ips', { body: entries(40_000, 300) }));
  expect(await blocked.block()).toBe(201);
  const fits = { add: entries(2_000, 5) };
  expect((await service.call('POST', '/api/blocked-ips/batch', { body: fits })).body).toMatchObject({ added: 2_000 });
  await blocked.expectTruth();
  const back = { remove: fits.add.map(({ ip_address }) => ip_address) };
  expect((await service.call('POST', '/api/blocked-ips/batch', { body: back })).status).toBe(200);
  await makeRoom(prefix);
  await service.healthy();
}

async function full(service: RealService, blocked: Blocked): Promise<void> {
  const { prefix } = service.paths;
  await fillDisk(prefix);
  expect(await blocked.three()).toEqual([503, 503, 503]);
  const requests: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ['POST', '/api/config/reload'],
    ['PUT', '/api/trusted-ips/198.51.100.1', {}],
    ['PUT', '/api/sites/full.example', { servers: [{ address: '127.0.0.1', port: 9 }] }],
    ['POST', '/api/keys', { name: 'full' }],
    ['POST', '/api/blocked-ips/sync'],
    ['POST', '/api/blocked-ips/batch', { add: ['198.51.100.7'] }],
    ['PUT', '/api/blocked-ips', ['198.51.100.8']],
    ['DELETE', '/api/blocked-ips/127.1.0.1'],
  ];
  for (const [method, path, body] of requests) expectRefusal(await service.call(method, path, { body }));
  expect((await service.call('GET', '/api/blocked-ips')).status).toBe(200);
  expect(await service.health()).toMatchObject({
    status: 503,
    body: { status: 'down', database: { reason: expect.stringContaining('no space') } },
  });
  // A proxy that dies now is restarted, and denies what it denied.
  const { master } = await service.processes();
  process.kill(master.pid, 'SIGKILL');
  // The orphaned worker of the dead master serves for another moment.
  await eventually('another proxy runs', async () => (await service.processes()).master.pid !== master.pid);
  await eventually('it serves', async () => (await service.visit('127.0.9.9')) === 200);
  expect(await service.visit('127.1.0.1')).toBe(403);
  await makeRoom(prefix);
  await service.healthy();
  expect(await blocked.block()).toBe(201);
  await blocked.expectTruth();
}

async function failing(service: RealService, blocked: Blocked, disk: FailingDisk): Promise<void> {
  const { name, fails, blocks, says, editMap } = disk;
  const calls = await failCalls(service.pid, fails);
  try {
    if (editMap === true) await appendFile(service.paths.blockedMap, '# edited\n');
    const statuses = await blocked.three();
    if (blocks !== 'any') expect(statuses, name).toEqual([blocks, blocks, blocks]);
    if (says !== null) {
      const health = await service.health();
      expect(health.status, name).toBe(503);
      expect(health.body['reasons'].join('; '), name).toMatch(says);
    }
    expect((await service.call('GET', '/api/blocked-ips')).status).toBe(200);
    expect(await service.visit('127.0.9.9')).toBe(200);
  } finally {
    await calls.end();
  }
  await service.healthy();
  expect(await blocked.block(), name).toBe(201);
  await blocked.expectTruth();
  expect(await service.logText(), name).toContain([...blocked.acknowledged].at(-1));
}

async function slow(service: RealService, blocked: Blocked): Promise<void> {
  const calls = await failCalls(service.pid, { calls: 'fdatasync,fsync', how: 'delay_exit=100000' });
  try {
    expect(await blocked.three()).toEqual([201, 201, 201]);
    const together = await Promise.all(Array.from({ length: 20 }, () => blocked.block()));
    expect(new Set(together)).toEqual(new Set([201]));
    await service.healthy();
  } finally {
    await calls.end();
  }
  await blocked.expectTruth();
}

async function locked(service: RealService, blocked: Blocked): Promise<void> {
  await service.block('127.9.9.9', { duration_seconds: 1 });
  const other = new Database(service.paths.database);
  other.exec('begin exclusive');
  const together = Promise.all(Array.from({ length: 10 }, () => blocked.block()));
  // None of these wait for the lock.
  for (let nth = 0; nth < 5; nth += 1) expect((await service.call('GET', '/api/blocked-ips')).status).toBe(200);
  expect(new Set(await together)).toEqual(new Set([503]));
  expect(await service.health()).toMatchObject({
    status: 503,
    body: { database: { reason: expect.stringContaining('lock') } },
  });
  other.exec('rollback');
  other.close();
  await service.healthy();
  // Expired entries are no longer listed at once, and leave the workers a moment later.
  await eventually('what ended is served', async () => (await service.visit('127.9.9.9')) === 200);
  expect(await blocked.block()).toBe(201);
  await blocked.expectTruth();
}

async function takenAway(service: RealService, blocked: Blocked): Promise<void> {
  const { database } = service.paths;
  for (const path of [`${database}-wal`, database]) {
    await rename(path, `${path}.away`);
    expect(await blocked.block()).toBe(503);
    expect(await service.health()).toMatchObject({
      status: 503,
      body: { status: 'down', database: { reason: expect.stringContaining(`${path} was removed`) } },
    });
    expect((await service.call('GET', '/api/blocked-ips')).status).toBe(200);
    await rename(`${path}.away`, path);
    await service.healthy();
    expect(await blocked.block()).toBe(201);
    await blocked.expectTruth();
  }
}

// No proxy is started: one version is enough.
describe('a first start on a disk', () => {
  it.runIf(possible)('that is full is refused, and the next one with free space counts as the first', async () => {
    for (const leave of sampled([40_000, 200_000], (_, index) => index === 1)) {
      const service = await RealService.start({
        bin: testProxies().found[0]?.bin ?? 'haproxy',
        waitUntilReady: false,
        supervise: false,
        environment: { PROXY_MANAGER_API_KEY: '' },
        before: async ({ prefix }) => {
          await mountDisk(prefix, 8);
          await fillDisk(prefix, leave);
        },
      });
      try {
        expect(await service.ended(), `${leave} bytes left`).toEqual({ code: 1, signal: null });
        await makeRoom(service.paths.prefix);
        await service.launch();
        await eventually('it is ready', async () => {
          return (await service.call('GET', '/readyz', { key: null })).status === 200;
        });
        const key = (await readFile(join(service.paths.stateDir, 'api-key'), 'utf8')).trim();
        expect((await service.call('GET', '/api/blocked-ips', { key })).status).toBe(200);
      } finally {
        await service.stop();
      }
    }
  });
});
