// A damaged, foreign, empty or missing database: the start fails and says how to recover, map file and proxy stay as
// they are, and the recovery works.
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { sampled, testProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { expectAgreement } from '../testkit/traffic.ts';

const endings = ['', '-wal', '-shm'];

interface Damage {
  readonly name: string;
  readonly says: RegExp;
  do(database: string): Promise<void>;
}

/** The page size, and the number of the first page of the blocked addresses: the last one of the file may be unused. */
function pageOfBlocks(path: string): [number, number] {
  const database = new Database(path);
  const pageSize = database.pragma('page_size', { simple: true }) as number;
  const page = database
    .prepare("select rootpage from sqlite_master where name = 'blocked_ips'")
    .pluck()
    .get() as number;
  database.close();
  return [pageSize, page];
}

/** For an empty, missing or invalid file see starts.test.ts. */
const damages: readonly Damage[] = [
  {
    name: 'with a page of nothing',
    says: /damaged.*restore it from a backup/,
    do: async (path) => {
      const [pageSize, page] = pageOfBlocks(path);
      const bytes = await readFile(path);
      bytes.fill(0, (page - 1) * pageSize, page * pageSize);
      await writeFile(path, bytes);
    },
  },
  {
    name: 'of another program',
    says: /database of another program/,
    do: async (path) => {
      await rm(path);
      const other = new Database(path);
      other.exec('create table notes (text)');
      other.close();
    },
  },
  ...sampled(
    [{ name: 'cut off', says: /damaged.*restore it from a backup/, do: (path: string) => truncate(path, 3 * 4_096) }],
    () => false,
  ),
];

// The start fails before it uses HAProxy: one version is enough.
describe('a start with a database', () => {
  const bin = testProxies().found[0]?.bin ?? 'haproxy';
  it('that is damaged is refused, changes nothing, and names a repair that works', async () => {
    const service = await RealService.start({ bin });
    const kept = await mkdtemp(join(tmpdir(), 'pm-kept-'));
    try {
      const { database, blockedMap, trustedMap, config, jsonLog } = service.paths;
      const ips = Array.from({ length: 600 }, (_, n) => `127.1.${n >> 8}.${n & 255}`);
      expect((await service.call('PUT', '/api/blocked-ips', { body: ips })).status).toBe(200);
      await service.healthy();
      service.kill('SIGTERM');
      await service.ended();
      const copy = join(kept, 'database');
      await cp(database, copy);
      const look = async () => await Promise.all([blockedMap, trustedMap, config].map((path) => readFile(path)));
      const files = await look();
      const proxies = await service.proxyPids();
      const worker = await service.workerPid();
      const putBack = async () => {
        for (const ending of endings) await rm(`${database}${ending}`, { force: true });
        await cp(copy, database);
      };
      for (const damage of damages) {
        await putBack();
        await damage.do(database);
        await writeFile(jsonLog, '');
        await service.launch().then(
          () => expect.fail(`it started with a database ${damage.name}`),
          () => undefined,
        );
        expect(await service.ended()).toEqual({ code: 1, signal: null });
        expect(await readFile(jsonLog, 'utf8'), damage.name).toMatch(damage.says);
        expect(await look(), damage.name).toEqual(files);
        expect(await service.visit('127.1.0.1')).toBe(403);
      }
      expect(await service.proxyPids()).toEqual(proxies);
      expect(await service.workerPid()).toBe(worker);
      // First: restore the copy.
      await putBack();
      await service.launch();
      await service.healthy();
      await expectAgreement(service, ips);
      // Second: start from the map file.
      service.kill('SIGKILL');
      await service.ended();
      for (const ending of endings) await rm(`${database}${ending}`, { force: true });
      await service.launch({ PROXY_MANAGER_ACCEPT_EMPTY_DATABASE: 'true' });
      await service.healthy();
      await expectAgreement(service, ips);
      expect(await service.visit('127.1.0.1')).toBe(403);
    } finally {
      await service.stop();
      await rm(kept, { recursive: true });
    }
  });
});
