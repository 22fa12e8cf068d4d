import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, entryOf, toBlock } from '../../../testkit/blocking.ts';
import { eventually } from '../../../testkit/conditions.ts';
import { openScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import { hang, type ScriptedMaster } from '../../../testkit/scripted-master.ts';
import type { StoppedTime } from '../../../testkit/stop-time.ts';
import { MapFileError } from '../../haproxy/map-file/map-file.ts';
import { diskOps } from '../../haproxy/map-file/map-file-ops.ts';
import { StoreError } from '../../store/store-error.ts';

let close: () => Promise<void>;
let master: ScriptedMaster;
let kit: BlockingKit;
let time: StoppedTime;

beforeEach(async () => {
  ({ master, kit, time, close } = await openScriptedBlocking());
});
afterEach(async () => {
  await close();
  vi.restoreAllMocks();
});

const block = (ip: string) => kit.blockedSet.block(toBlock(ip), caller());
const unblock = async (ip: string) => (await kit.blockedSet.unblock(entryOf(ip), caller())).answer;
const toAdd = (ip: string) =>
  ({ op: 'add', entry: entryOf(ip), defaultBlockedBy: 'test', expiry: { kind: 'permanent' } }) as const;
const toRemove = (ip: string) => ({ op: 'remove', entry: entryOf(ip) }) as const;
const running = () =>
  master
    .map(kit.mapPath)
    .live()
    .map((entry) => `${entry.key} ${entry.value}`)
    .sort();
const transactions = () => vi.spyOn(kit.store, 'applyGroup');
/** Holds the turn, so that later changes wait. */
function holdTurn(): () => void {
  const held = Promise.withResolvers<void>();
  void kit.turns.take('urgent', () => held.promise);
  return held.resolve;
}

function failWrites(times: number): void {
  const write = vi.spyOn(diskOps, 'writeNow');
  for (let n = 0; n < times; n += 1) {
    write.mockImplementationOnce(() => {
      throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO', syscall: 'write' });
    });
  }
}

describe('the group writer', () => {
  it('leaves no line of a rejected block in a rewrite that began during it', async () => {
    await block('192.0.2.1');
    const { keeper } = kit;
    const begun = vi.spyOn(keeper.file, 'beginRewrite');
    const ensureUsable = keeper.ensureUsable.bind(keeper);
    let rewrite: Promise<unknown> = Promise.resolve();
    vi.spyOn(keeper, 'ensureUsable').mockImplementation(async (options) => {
      const failed = keeper.problem !== null;
      await ensureUsable(options);
      if (!failed) return;
      // The reconciler rewrites a changed file between the two attempts of the block.
      const before = begun.mock.results.length;
      rewrite = keeper.updateBlockedIpsMap();
      await eventually('the rewrite has begun', () => begun.mock.results.length > before);
      await begun.mock.results.at(-1)?.value;
      failWrites(1);
    });
    failWrites(1);
    await expect(block('192.0.2.2')).rejects.toMatchObject({ status: 503 });
    await rewrite;
    expect(keeper.problem).toBeNull();
    expect(await kit.fileEntries()).toEqual(['192.0.2.1 1']);
  });

  it('combines waiting changes into one transaction and payload, with an answer for each', async () => {
    const groups = transactions();
    const release = holdTurn();
    const answers = ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.3'].map(block);
    release();
    const created = (await Promise.all(answers)).map((answer) => answer.created);
    expect(created).toEqual([true, true, false, true]);
    expect(groups).toHaveBeenCalledTimes(1);
    expect(running()).toEqual(['192.0.2.1 1', '192.0.2.2 1', '192.0.2.3 1']);
    expect(await kit.fileEntries()).toEqual(expect.arrayContaining(running()));
  });

  it('never groups conflicting changes of one address, and keeps their order', async () => {
    const groups = transactions();
    const release = holdTurn();
    // All at once: earlier asynchronous checks could change their order.
    const answers = [toAdd('192.0.2.1'), toRemove('192.0.2.1'), toAdd('192.0.2.2'), toAdd('192.0.2.1')].map((change) =>
      kit.writer.change([change], 'urgent', performance.now() + 60_000, { operation: 'test', caller: caller() }),
    );
    release();
    await Promise.all(answers);
    for (const [changes] of groups.mock.calls) {
      const verbs = new Map<string, string>();
      for (const change of changes) {
        expect(verbs.get(change.entry.text) ?? change.op).toBe(change.op);
        verbs.set(change.entry.text, change.op);
      }
    }
    expect(running()).toEqual(['192.0.2.1 1', '192.0.2.2 1']);
    expect((await kit.fileEntries()).sort()).toEqual(running());
  });

  it('limits the removals of a group by its deadline, but never splits a request', async () => {
    const texts = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5'];
    for (const text of texts) await block(text);
    vi.spyOn(kit.strategy, 'perGroup').mockReturnValue(2);
    const groups = transactions();
    const release = holdTurn();
    const answers: Promise<unknown>[] = texts.slice(0, 3).map(unblock);
    answers.push(block('192.0.2.6'));
    const three = ['192.0.2.3', '192.0.2.4', '192.0.2.5'].map(toRemove);
    answers.push(
      kit.writer.change(three, 'urgent', performance.now() + 60_000, { operation: 'batch', caller: caller() }),
    );
    release();
    await Promise.all(answers);
    const removals = groups.mock.calls.map(([changes]) => changes.filter(({ op }) => op === 'remove').length);
    expect(removals).toEqual([2, 1, 3]);
    expect(running()).toEqual(['192.0.2.6 1']);
  });

  it('turns a batch with more removals into a bulk change', async () => {
    const texts = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
    for (const text of texts) await block(text);
    vi.spyOn(kit.strategy, 'perGroup').mockReturnValue(2);
    const run = vi.spyOn(kit.bulk, 'run');
    const remove = (some: readonly string[]) =>
      kit.blockedSet.batch(
        { add: [], remove: some.map((text, index) => ({ index, entry: entryOf(text) })), rejected: [] },
        caller(),
      );
    expect(await remove(texts.slice(0, 2))).toMatchObject({ removed: 2, runtime_map_updated: true });
    expect(run).not.toHaveBeenCalled();
    for (const text of texts) await block(text);
    expect(await remove(texts)).toMatchObject({ removed: 3, runtime_map_updated: true });
    expect(run).toHaveBeenCalledTimes(1);
    expect(running()).toEqual([]);
  });

  it('removes expired entries in groups of that size', async () => {
    vi.spyOn(kit.strategy, 'perGroup').mockReturnValue(2);
    const at = new Date(Date.now() + 300);
    for (const text of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5'])
      await kit.blockedSet.block(toBlock(text, { expiry: { kind: 'at', at } }), caller());
    await time.pass(301);
    const groups = transactions();
    kit.expiry.start();
    await time.during(eventually('none is left', () => running().length === 0));
    expect(groups.mock.calls.map(([changes]) => changes.length)).toEqual([2, 2, 1]);
  });

  it('adds the line before the commit, and removes it after the row', async () => {
    const add = vi.spyOn(kit.keeper.file, 'add');
    add.mockImplementationOnce(async (ips) => {
      expect(await kit.store.get('192.0.2.1')).toBeNull();
      add.mockRestore();
      await kit.keeper.file.add(ips);
      expect(await kit.fileEntries()).toEqual(['192.0.2.1 1']);
      expect(await kit.store.get('192.0.2.1')).toBeNull();
    });
    await block('192.0.2.1');
    const remove = vi.spyOn(kit.keeper.file, 'remove');
    remove.mockImplementationOnce(async (ips) => {
      expect(await kit.store.get('192.0.2.1')).toBeNull();
      expect(await kit.fileEntries()).toEqual(['192.0.2.1 1']);
      remove.mockRestore();
      return await kit.keeper.file.remove(ips);
    });
    await unblock('192.0.2.1');
    expect(await kit.fileEntries()).toEqual([]);
    expect.assertions(6);
  });

  it('changes nothing in a worker before the database holds it', async () => {
    const { applyGroup } = kit.store;
    vi.spyOn(kit.store, 'applyGroup').mockImplementationOnce(async (...args) => {
      await eventually('the worker was queried', () => master.commands.some((command) => command.includes('get map')));
      expect(master.commands.filter((command) => command.includes('add map'))).toEqual([]);
      return await applyGroup.apply(kit.store, args);
    });
    await block('192.0.2.1');
    expect(running()).toEqual(['192.0.2.1 1']);
  });

  it('removes the line if the transaction fails, fails every request of the group, and changes no worker', async () => {
    await block('192.0.2.9');
    vi.spyOn(kit.store, 'applyGroup').mockImplementationOnce(async (_changes, _now, beforeCommit) => {
      await beforeCommit({ added: ['192.0.2.1', '192.0.2.2'], removed: [] }, 2);
      throw new StoreError('io', 'the disk is gone');
    });
    const release = holdTurn();
    const answers = Promise.allSettled([block('192.0.2.1'), block('192.0.2.2')]);
    release();
    for (const answer of await answers) expect(answer).toMatchObject({ reason: { code: 6003, retryAfterSeconds: 5 } });
    expect(await kit.fileEntries()).toEqual(['192.0.2.9 1']);
    expect(running()).toEqual(['192.0.2.9 1']);
  });

  it('rewrites a file that rejects an append, and continues', async () => {
    vi.spyOn(kit.keeper.file, 'add').mockRejectedValueOnce(new MapFileError('behind', 'changed by another process'));
    // A rejected rewrite leaves a file that cannot be used.
    vi.spyOn(kit.keeper, 'problem', 'get').mockReturnValueOnce(null).mockReturnValueOnce('refused');
    expect(await block('192.0.2.1')).toMatchObject({ created: true, answer: { runtime_map_updated: true } });
    expect(await kit.fileEntries()).toEqual(['192.0.2.1 1']);
  });

  it('answers 503 and stores nothing when the rewrite fails too', async () => {
    vi.spyOn(kit.keeper.file, 'add').mockRejectedValueOnce(new MapFileError('behind', 'changed by another process'));
    vi.spyOn(kit.keeper, 'ensureUsable')
      .mockResolvedValueOnce(undefined)
      .mockRejectedValueOnce(new MapFileError('unwritable', 'no'));
    await expect(block('192.0.2.1')).rejects.toMatchObject({ code: 6004, retryAfterSeconds: 5 });
    expect(await kit.store.get('192.0.2.1')).toBeNull();
    expect(running()).toEqual([]);
  });

  it('rejects changes beyond its limit at once with Retry-After, and accepts those within it', async () => {
    const release = holdTurn();
    const many = (count: number, from: number) =>
      Array.from({ length: count }, (_, n) => ({
        op: 'add' as const,
        entry: entryOf(`10.${from}.${n >> 8}.${n & 255}`),
        expiry: { kind: 'permanent' as const },
      }));
    const { writer } = kit;
    const deadline = performance.now() + 20_000;
    const taken = Array.from({ length: 20 }, (_, n) =>
      writer.change(many(1_000, n), 'bulk', deadline, { operation: 'batch', caller: caller() }),
    );
    expect(writer.queueDepth).toBe(20_000);
    await expect(block('192.0.2.1')).rejects.toMatchObject({ code: 6002, retryAfterSeconds: 1 });
    // Their results do not matter here, and twenty thousand take long.
    const group = vi.spyOn(kit.store, 'applyGroup').mockRejectedValue(new Error('not now'));
    const outcomes = Promise.allSettled(taken);
    release();
    await outcomes;
    expect(group).toHaveBeenCalledTimes(20);
    expect(writer.queueDepth).toBe(0);
    group.mockRestore();
    expect((await block('192.0.2.1')).created).toBe(true);
  });

  it('gives a group that waited until its deadline enough time for an attempt', async () => {
    master.script = (command) => (command.includes(' add map ') ? { kind: 'late', until: time.pass(250) } : undefined);
    const change = { op: 'add' as const, entry: entryOf('192.0.2.1'), expiry: { kind: 'permanent' as const } };
    const waited = performance.now() - 1;
    const { failures } = await kit.writer.change([change], 'urgent', waited, { operation: 'block', caller: caller() });
    expect(failures).toEqual([]);
  });

  it('answers 404 without a row, and removes and reports a foreign entry in worker and file', async () => {
    master.map(kit.mapPath).add('192.0.2.66', '1');
    await kit.keeper.file.add(['192.0.2.67']);
    await block('192.0.2.0/24');
    for (const stray of ['192.0.2.66', '192.0.2.67']) {
      await expect(unblock(stray)).rejects.toMatchObject({
        code: 1100,
        members: { stray_removed: true, covered_by: ['192.0.2.0/24'], runtime_map_updated: true },
      });
    }
    await expect(unblock('192.0.2.66')).rejects.toMatchObject({ members: { stray_removed: false } });
    expect(running()).toEqual(['192.0.2.0/24 1']);
    expect(await kit.fileEntries()).toEqual(['192.0.2.0/24 1']);
  });

  // Stopped time: the load of the machine does not matter.
  it.each([
    ['alone', 0],
    ['after a wait of 1.4 s for its turn', 1_400],
  ])('answers a block within two seconds where the worker never replies: %s', async (_, waitMs) => {
    master.script = () => hang;
    const release = holdTurn();
    const began = performance.now();
    const answered = block('192.0.2.1').then((result) => ({ result, took: performance.now() - began }));
    await time.pass(waitMs);
    release();
    const { result, took } = await time.during(answered);
    expect(result.created).toBe(true);
    expect(result.answer).toMatchObject({
      runtime_map_updated: false,
      runtime_map_failures: [{ ip_address: '192.0.2.1', reason: 'deadline' }],
      reload_scheduled: true,
    });
    expect(took).toBeLessThan(2_000);
  });

  it('reports to each request the failures of its own addresses', async () => {
    master.script = (command) => (command === `@1 get map ${kit.mapPath} 192.0.2.2` ? hang : undefined);
    const alone = await block('192.0.2.1');
    expect(alone.answer.runtime_map_updated).toBe(true);
    const failed = await time.during(block('192.0.2.2'));
    expect(failed.answer).toMatchObject({
      runtime_map_updated: false,
      runtime_map_failures: [{ ip_address: '192.0.2.2', reason: 'deadline' }],
      reload_scheduled: true,
    });
    expect(kit.reloads).toHaveLength(1);
  });
});
