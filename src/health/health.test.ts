import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, entryOf, toBlock } from '../../testkit/blocking.ts';
import { eventually } from '../../testkit/conditions.ts';
import { noDrift } from '../../testkit/no-drift.ts';
import { itScripted, openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import { hang, type ScriptedMaster, say } from '../../testkit/scripted-master.ts';
import type { StoppedTime } from '../../testkit/stop-time.ts';
import type { BulkItem } from '../blocking/blocked-set-service.ts';
import { BulkWorkers } from '../blocking/bulk/bulk-workers.ts';
import type { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import { count } from '../domain/counted.ts';
import { Health } from './health.ts';

const healthOf = (kit: BlockingKit, reloads: Partial<ReloadCoordinator> = {}) =>
  new Health({
    ...kit,
    reloads: { scheduled: null, last: null, underWay: false, ...reloads } as unknown as ReloadCoordinator,
    versions: () => ({ service: '', proxy: '', unsupported: [], untested: null }),
    drift: { report: async () => noDrift },
    attached: () => null,
    findMaster: async () => null,
    trustHasEffect: () => true,
    notices: async () => [],
    unboundKeys: async () => [],
    proxyProblems: async () => [],
    certificateProblems: async () => [],
    started: () => true,
  });

const texts = Array.from({ length: 1_200 }, (_, n) => `20.0.${n >> 8}.${n & 255}`);

describe('health, with a version left behind in the worker', () => {
  let close: () => Promise<void>;
  let master: ScriptedMaster;
  let kit: BlockingKit;
  let time: StoppedTime;
  let health: Health;

  beforeEach(async () => {
    ({ master, kit, time, close } = await openScriptedBlocking({ fastDeletes: false }));
    const add = texts.map((text, index) => ({ index, request: toBlock(text) }));
    await kit.blockedSet.batch({ add, remove: [], rejected: [] }, caller());
    await kit.reconciler.check(true);
    health = healthOf(kit);
    for (let n = 0; n < 40; n += 1) map().add(`30.0.0.${n}`, '1');
    kit.strategy.record(master.current.pid, texts.length, 1, 10_000);
    master.script = (command) => (command.includes(' commit map ') ? say('No.\n\n') : undefined);
    expect(await time.during(kit.workers.sync(kit.blocked, master.current.pid))).toMatchObject({ inSync: false });
    master.script = () => undefined;
    for (let n = 0; n < 40; n += 1) map().del(`30.0.0.${n}`);
    await kit.reconciler.check(false);
  });
  afterEach(async () => {
    await close();
  });

  const map = () => master.map(kit.mapPath);
  const listings = () => master.commands.filter((command) => command.endsWith(`show map ${kit.mapPath}`)).length;
  const seen = async () => {
    const { status, reasons, ...parts } = await health.health();
    return { status, reasons, held: (parts['runtime_map'] as { seen: number }).seen };
  };

  it('stays ok after an unblock, which removes the entry from both, and after a block', async () => {
    expect(map().entries.length).toBeGreaterThan(texts.length * 1.5);
    expect(await seen()).toEqual({ status: 'ok', reasons: [], held: 1_200 });
    const before = listings();
    for (const text of texts.slice(0, 3)) {
      await kit.blockedSet.unblock(entryOf(text), caller());
      expect(await seen()).toMatchObject({ status: 'ok', reasons: [] });
      await kit.reconciler.check(false);
    }
    await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    expect(await seen()).toEqual({ status: 'ok', reasons: [], held: 1_198 });
    await kit.reconciler.check(false);
    expect(listings()).toBe(before);
  });

  it('is degraded when the live map lacks an entry', async () => {
    map().entries = map().entries.filter(({ key, version }) => key !== texts[0] || version !== 0);
    expect(await seen()).toMatchObject({ status: 'degraded', held: 1_199 });
    const { status, parts } = await health.verdict('ping');
    expect({ status, wrong: Object.entries(parts).filter(([, ok]) => !ok) }).toEqual({
      status: 'degraded',
      wrong: [['runtime_map', false]],
    });
  });
});

describe('health, while changes come', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  itScripted('is ok where an entry is on its way from the database to the worker', async ({ master, kit }) => {
    let counts = 0;
    // The entry arrives only after several counts without it.
    const arrives = eventually(
      'it was counted, or its turn waits',
      () => counts > 3 || (counts > 2 && kit.turns.waiting > 0),
    );
    master.script = (command) => {
      if (command.endsWith(' show map')) counts += 1;
      return command.includes(' add map ') ? { kind: 'wait', until: arrives } : undefined;
    };
    const block = kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    await eventually('the block is stored', () => kit.keeper.expected.total === 1);
    expect(await healthOf(kit).health()).toMatchObject({
      status: 'ok',
      reasons: [],
      runtime_map: { expected: 1, seen: 1 },
    });
    expect((await block).answer.runtime_map_updated).toBe(true);
  });

  itScripted(
    'is ok for the metrics too, which never wait for a turn, and write only on request',
    async ({ master, kit }) => {
      const { promise: looked, resolve: arrive } = Promise.withResolvers<void>();
      master.script = (command) => (command.includes(' add map ') ? { kind: 'wait', until: looked } : undefined);
      const written = vi.spyOn(kit.database, 'probe');
      const block = kit.blockedSet.block(toBlock('9.9.9.9'), caller());
      await eventually('the block is stored', () => kit.keeper.expected.total === 1);
      const health = healthOf(kit);
      const turns = vi.spyOn(kit.turns, 'take');
      expect(await health.verdict('ping')).toMatchObject({
        status: 'ok',
        parts: { runtime_map: true, database: true },
      });
      expect(turns).not.toHaveBeenCalled();
      expect(written).not.toHaveBeenCalled();
      arrive();
      await block;
      await health.verdict('probe');
      expect(written).toHaveBeenCalledOnce();
    },
  );

  itScripted(
    'stays down after a full disk in checks that only read, until a write succeeds; readiness only reads',
    async ({ kit }) => {
      const health = healthOf(kit);
      const writes = vi.spyOn(kit.database, 'probe').mockRejectedValue(new Error('database or disk is full'));
      expect(await health.report('ping')).toMatchObject({ status: 'ok' });
      for (const how of ['probe', 'ping', 'ping'] as const) {
        expect(await health.report(how)).toMatchObject({
          status: 'down',
          database: { status: 'down', reason: 'database or disk is full' },
        });
      }
      expect(await health.ready()).toBe(true);
      expect(writes).toHaveBeenCalledOnce();
      writes.mockRestore();
      expect(await health.health()).toMatchObject({ status: 'ok' });
      expect(await health.report('ping')).toMatchObject({ status: 'ok', database: { status: 'ok' } });
    },
  );

  itScripted('is down by a read that failed for no longer than reads fail', async ({ kit }) => {
    const health = healthOf(kit);
    vi.spyOn(kit.database, 'ping').mockRejectedValueOnce(new Error('no descriptors'));
    expect(await health.report('probe')).toMatchObject({ status: 'down' });
    expect(await health.report('ping')).toMatchObject({ status: 'ok' });
  });

  itScripted(
    'waits for a reload under way to end, and for the new worker to be compared',
    async ({ master, kit, time }) => {
      await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
      master.welcome = 'close';
      master.peak = 0;
      const asked = healthOf(kit).health();
      await eventually('it was refused', () => master.peak > 0);
      master.reload();
      master.welcome = 'serve';
      expect(await time.during(asked)).toMatchObject({
        status: 'ok',
        reasons: [],
        workers: { current: { pid: master.current.pid } },
      });
    },
  );

  itScripted(
    'requests no check for a failure that a reload of the service explains and verifies, and one for any other',
    async ({ master, kit }) => {
      await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
      master.script = (command) =>
        command.endsWith(`show map ${kit.mapPath}`) ? say('0x1 9.9.9.9 1\n', 'close') : undefined;
      await kit.reconciler.check(true);
      expect(kit.registry.hasPassingDifference()).toBe(true);
      expect(await healthOf(kit, { underWay: true }).health()).toMatchObject({
        status: 'ok',
        workers: { current: { whole: false } },
      });
      expect(await healthOf(kit).health()).toMatchObject({ status: 'degraded' });
      // It was compared during the reload and lacks an entry: a pending repair is no excuse.
      kit.registry.markSuspect(master.current.pid, 'blocked', 'its map differs', 'pending');
      expect(await healthOf(kit, { underWay: true }).health()).toMatchObject({
        status: 'degraded',
        reasons: [expect.stringContaining('its map differs')],
      });
      kit.registry.markSuspect(master.current.pid, 'blocked', '9.9.9.9 is not there');
      expect(await healthOf(kit, { underWay: true }).health()).toMatchObject({ status: 'degraded' });
    },
  );

  itScripted('does not wait for a socket that is known to be down', async ({ master, kit }) => {
    await master.stop();
    await kit.link.processes(1).catch(() => undefined);
    expect(kit.link.state.up).toBe(false);
    const down = await healthOf(kit).health();
    expect(down).toMatchObject({ master_socket: { status: 'down' } });
    expect(down.reasons).toContainEqual(expect.stringMatching(/^master socket: \//));
  });

  itScripted('is ok during a bulk change, which reaches the database before the workers', async ({ master, kit }) => {
    master.map(kit.mapPath).add('9.9.9.9', '1');
    const goOn = kit.reconciler.pause();
    expect(await healthOf(kit).health()).toMatchObject({
      status: 'ok',
      reasons: [],
      runtime_map: { expected: 0, seen: 1 },
    });
    goOn();
    expect(await healthOf(kit).health()).toMatchObject({ status: 'degraded' });
  });

  itScripted(
    'reports the progress of a bulk change, and a worker whose count it does not explain',
    async ({ master, kit }) => {
      const put = (wanted: readonly string[]) => {
        const source = async function* (): AsyncIterable<readonly BulkItem[]> {
          yield wanted.map((text) => ({ ok: true, request: toBlock(text) }) as BulkItem);
        };
        return kit.blockedSet.replaceAll(source(), { allowShrink: true }, caller());
      };
      await put(texts);
      const held = Promise.withResolvers<void>();
      let stored = 0;
      const { remove } = BulkWorkers.prototype;
      vi.spyOn(BulkWorkers.prototype, 'remove').mockImplementation(async function (this: BulkWorkers, gone) {
        stored += gone.length;
        if (gone.length > 0) await held.promise;
        return await remove.call(this, gone);
      });
      const change = put([...texts.slice(600), '9.9.9.9']);
      await eventually('some of it is gone from the database', () => stored > 0);
      const health = healthOf(kit);
      expect(await health.health()).toMatchObject({
        status: 'ok',
        reasons: [],
        runtime_map: { expected: 1_201 - stored, seen: 1_201, big_change: { added: 1, removed: stored } },
      });
      const before = master.map(kit.mapPath).entries;
      master.map(kit.mapPath).add('30.0.0.1', '1');
      expect((await health.health()).reasons).toEqual([
        `running map: it holds 1,202 entries instead of ${count(1_200 - stored)} to 1,201 during a bulk change`,
      ]);
      master.map(kit.mapPath).entries = before.slice(0, 1_199 - stored);
      expect(await health.health()).toMatchObject({
        status: 'degraded',
        reasons: [expect.stringContaining(`it holds ${count(1_199 - stored)} entries instead of`)],
      });
      master.map(kit.mapPath).entries = before;
      held.resolve();
      await change;
      await kit.reconciler.check(true);
      expect(await health.health()).toMatchObject({
        status: 'ok',
        runtime_map: { expected: 601, seen: 601, big_change: null },
      });
    },
  );

  itScripted('reports a block that did not reach a worker, also during a bulk change', async ({ master, kit }) => {
    const goOn = kit.reconciler.pause();
    master.script = (command) => (command.includes(' add map ') ? say('No.\n\n') : undefined);
    expect((await kit.blockedSet.block(toBlock('9.9.9.9'), caller())).answer.runtime_map_updated).toBe(false);
    const report = await healthOf(kit).health();
    expect(report).toMatchObject({ status: 'degraded', runtime_map: { expected: 1, seen: 0 } });
    expect(report.reasons).toEqual([expect.stringContaining(`current worker ${master.current.pid}: blocked map`)]);
    goOn();
  });

  itScripted(
    'is degraded as soon as the worker does not answer, although its master does',
    async ({ master, kit, time }) => {
      let asked = false;
      master.script = (command) => {
        asked ||= command.startsWith('@');
        return command.startsWith('@') ? hang : undefined;
      };
      const health = healthOf(kit).health();
      await eventually('it is asked', () => asked);
      await time.pass(1_500);
      const report = await health;
      expect(report).toMatchObject({
        status: 'degraded',
        master_socket: { status: 'ok' },
        runtime_map: { seen: null },
      });
      expect(report.reasons).toEqual([expect.stringMatching(/^running map: /)]);
    },
  );
});
