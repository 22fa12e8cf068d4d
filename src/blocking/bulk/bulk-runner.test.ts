import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caller, toBlock } from '../../../testkit/blocking.ts';
import { type BulkChanges, openBulkChanges, pieces, texts } from '../../../testkit/bulk-changes.ts';
import { itInLongTests } from '../../../testkit/proxies.ts';
import { RuntimeMap } from '../../haproxy/maps/runtime-map.ts';
import { BulkStore } from '../../store/bulk-store.ts';
import { WorkerReconciler } from '../compare/worker-reconciler.ts';

let master: BulkChanges['master'];
let kit: BulkChanges['kit'];
let time: BulkChanges['time'];
let close: BulkChanges['close'];
let put: BulkChanges['put'];
let everywhere: BulkChanges['everywhere'];
beforeEach(async () => {
  ({ master, kit, time, close, put, everywhere } = await openBulkChanges());
});
afterEach(async () => {
  vi.restoreAllMocks();
  await close();
});

describe('a replacement of the set', () => {
  it('removes entries from the worker itself, without a repair', async () => {
    const before = texts(700);
    await put(pieces(before));
    const deleted: string[] = [];
    const parts: number[] = [];
    const { deleteMany } = RuntimeMap.prototype;
    vi.spyOn(RuntimeMap.prototype, 'deleteMany').mockImplementation(function (this: RuntimeMap, worker, ips, deadline) {
      deleted.push(...ips);
      parts.push(ips.length);
      return deleteMany.call(this, worker, ips, deadline);
    });
    let beforeRepair: string[] = [];
    const { sync } = WorkerReconciler.prototype;
    vi.spyOn(WorkerReconciler.prototype, 'sync').mockImplementation(function (this: WorkerReconciler, map, pid) {
      beforeRepair = [...deleted];
      return sync.call(this, map, pid);
    });
    await put(pieces(before.slice(0, 405)));
    expect(beforeRepair.sort()).toEqual(before.slice(405).sort());
    // Two connections share a turn's removals from the only worker.
    for (let at = 0; at < parts.length; at += 2) expect(parts[at]! - parts[at + 1]!).toBeOneOf([0, 1]);
    await everywhere(before.slice(0, 405));
  });

  it('applies only the difference, and is verified in the worker', async () => {
    await put(pieces(texts(2_500)));
    const next = [...texts(2_500).slice(700), ...texts(400, '10.2')];
    const answer = await put(pieces(next));
    expect(answer).toMatchObject({ added: 400, removed: 700, unchanged: 1_800, runtime_map_updated: true });
    await everywhere(next);
    expect(master.commands.filter((command) => command.includes('clear map'))).toEqual([]);
  });

  it('also reaches the worker of a reload under way once it serves', async () => {
    const next = texts(300);
    const starting = master.beginReload();
    master.script = (command) => {
      const asked = master.commands.filter((one) => one === 'show proc').length;
      if (command === 'show proc' && asked > 3 && master.starting !== null) master.finishReload();
      return undefined;
    };
    const answer = await time.during(put(pieces(next)));
    expect(answer).toMatchObject({ runtime_map_updated: true, runtime_map_failures: [] });
    expect(master.current.pid).toBe(starting.pid);
    await everywhere(next);
  });

  it('names a worker that is still starting at the end', async () => {
    const next = texts(300);
    const { pid } = master.beginReload();
    const answer = await time.during(put(pieces(next)), 10);
    expect(answer).toMatchObject({ runtime_map_updated: false, reload_scheduled: false });
    expect(answer.runtime_map_failures).toContainEqual(
      expect.objectContaining({ worker: pid, reason: 'worker is starting' }),
    );
    expect(master.map(kit.mapPath).live()).toHaveLength(300);
  });

  it('changes nothing and leaves nothing behind if its source fails', async () => {
    await put(pieces(texts(300)));
    const source = async function* () {
      yield* pieces(texts(5_000, '10.2'));
      throw new Error('the client went away');
    };
    await expect(put(source())).rejects.toThrow('went away');
    await everywhere(texts(300));
    expect(await new BulkStore(kit.database).unfinished()).toEqual([]);
    const left = await kit.database.read.selectFrom('bulk_blocks').select('bulk').execute();
    expect(left).toEqual([]);
  });

  it.each([
    [
      'the socket is down',
      () => {
        const down = { up: false, since: new Date(), reason: 'refused' } as const;
        vi.spyOn(kit.link, 'state', 'get').mockReturnValue(down);
      },
    ],
    [
      'the map file cannot be written',
      () => void vi.spyOn(kit.keeper, 'updateBlockedIpsMap').mockRejectedValueOnce(new Error('broken')),
    ],
  ])('that ends before the workers are compared leaves them out of sync: %s', async (_, fail) => {
    const inSync = () => kit.registry.holdsTheSet(kit.registry.current()!, 'blocked');
    await put(pieces(texts(300)));
    expect(inSync()).toBe(true);
    fail();
    await put(pieces(texts(300, '10.3')), true).catch(() => undefined);
    expect(inSync()).toBe(false);
  });

  // A full disk: storage-faults.test.ts.
  itInLongTests('is refused as soon as the disk has too little space, and leaves nothing behind', async () => {
    const freeBytes = vi.spyOn(kit.database, 'freeBytes').mockResolvedValue(1_000_000_000);
    await put(pieces(texts(300)));
    await put(pieces(texts(20_000)));
    const staged = vi.spyOn(BulkStore.prototype, 'stageSorted');
    freeBytes.mockResolvedValueOnce(1_000_000_000).mockResolvedValue(19_999_999);
    await expect(put(pieces(texts(20_000, '10.2')))).rejects.toMatchObject({
      code: 6003,
      retryAfterSeconds: 5,
      detail:
        'not enough free disk space for a list of 20000 or more entries: 20 MB are needed, 19 MB are free; make room or send a smaller list',
    });
    expect(staged).toHaveBeenCalledTimes(1);
    expect(await new BulkStore(kit.database).unfinished()).toEqual([]);
    expect(await kit.database.read.selectFrom('bulk_blocks').select('bulk').execute()).toEqual([]);
    await everywhere(texts(20_000));
    freeBytes.mockResolvedValue(0);
    expect(await put(pieces(texts(4_096)), true)).toMatchObject({ removed: 15_904 });
  });

  it('that would drop more than half of a hundred or more is rejected without consent', async () => {
    await put(pieces(texts(100)));
    await expect(put(pieces(texts(49)))).rejects.toMatchObject({
      code: 6006,
      members: { would_remove: 51, current_total: 100 },
    });
    await everywhere(texts(100));
    expect(await put(pieces(texts(50)))).toMatchObject({ removed: 50 });
    await kit.blockedSet.batch(
      { add: texts(60, '10.3').map((ip, index) => ({ index, request: toBlock(ip) })), remove: [], rejected: [] },
      caller(),
    );
    expect(await put(pieces([]), true)).toMatchObject({ removed: 110, runtime_map_updated: true });
    await everywhere([]);
  });
});

describe('a foreign row', () => {
  it('is adopted before a list that names it is applied', async () => {
    const database = new SqliteDatabase(kit.databaseFile);
    database.exec("INSERT INTO blocked_ips(ip_address, blocked_at) VALUES ('10.1.0.3', 'x'), ('10.9.9.9', 'x')");
    database.close();
    expect(await put(pieces(texts(1_100)))).toMatchObject({ added: 1_099, removed: 1, runtime_map_updated: true });
    await everywhere(texts(1_100));
  });
});
