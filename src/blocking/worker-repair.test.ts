import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller, entryOf } from '../../testkit/blocking.ts';
import { eventually, within } from '../../testkit/conditions.ts';
import { openScriptedBlocking } from '../../testkit/scripted-blocking.ts';
import type { ScriptedMaster } from '../../testkit/scripted-master.ts';
import type { StoppedTime } from '../../testkit/stop-time.ts';

describe('a repair of many', () => {
  let close: () => Promise<void>;
  let master: ScriptedMaster;
  let kit: BlockingKit;
  let time: StoppedTime;

  beforeEach(async () => {
    ({ master, kit, time, close } = await openScriptedBlocking({ fastDeletes: false }));
  });
  afterEach(async () => {
    await close();
  });

  const texts = (count: number) => Array.from({ length: count }, (_, n) => `20.0.${n >> 8}.${n & 255}`);
  const put = (count: number) => {
    const pieces = async function* () {
      yield texts(count).map((text) => ({
        ok: true as const,
        request: { entry: entryOf(text), expiry: { kind: 'keep' as const }, force: false },
      }));
    };
    return kit.blockedSet.replaceAll(pieces(), { allowShrink: true }, caller());
  };
  const map = () => master.map(kit.mapPath);
  const live = () =>
    map()
      .live()
      .map(({ key }) => key)
      .sort();
  const sent = (verb: string) => master.commands.filter((command) => command.includes(` ${verb} map `)).length;
  /** A delete that scans, `ms` where 3,000 are scanned: it is the number of them that counts. */
  const deletesScan = (ms = 0.2) => kit.rule.took(master.current.pid, 3_000, 1, ms);

  it('goes by what the worker holds, which may be far more than what it should', async () => {
    await put(50);
    for (let n = 0; n < 3_000; n += 1) map().add(`30.0.${n >> 8}.${n & 255}`, '1');
    deletesScan();
    expect(await kit.workers.ensureWhole(kit.blocked, master.current.pid)).toMatchObject({ whole: true });
    expect(live()).toEqual(texts(50).sort());
    expect([sent('del'), sent('commit')]).toEqual([0, 1]);
  });

  it('goes by what the worker held before a big change', async () => {
    await put(3_000);
    deletesScan(1);
    expect(await put(50)).toMatchObject({ removed: 2_950, runtime_map_updated: true });
    expect(live()).toEqual(texts(50).sort());
    // Of a last slice that is that small.
    expect(sent('del')).toBeLessThan(120);
    expect(sent('commit')).toBe(1);
  });

  it('of what is missing takes fewer at a time before a worker that is too slow for all of it at once', async () => {
    await put(100);
    for (const text of texts(100).slice(0, 60)) map().del(text);
    const tryOnce = async () => {
      const resumed = Promise.withResolvers<void>();
      let looks = 0;
      master.script = (command) => {
        if (!command.includes(' get map ')) return undefined;
        looks += 1;
        return looks > 55 ? { kind: 'wait', until: resumed.promise } : undefined;
      };
      const { added, whole } = await time.during(kit.workers.ensureWhole(kit.blocked, master.current.pid));
      master.script = () => undefined;
      resumed.resolve();
      await eventually('it owes no answer any more', async () => {
        await kit.blocked.runtime.entryCount(within(60_000), { kind: 'pid', pid: master.current.pid });
        return true;
      });
      return { added, whole };
    };
    expect(await tryOnce()).toEqual({ added: 0, whole: false });
    expect((await tryOnce()).added).toBeGreaterThan(0);
  });

  it('forgets what commands cost at a worker that is gone', async () => {
    await kit.reconciler.look(true);
    const { pid } = master.current;
    deletesScan();
    master.reload();
    master.draining = [];
    await kit.reconciler.look(false);
    expect(kit.rule.commandMs(pid, 3_000)).toBe(null);
  });

  it('replaces once more where commands for what is wrong after the first would take longer', async () => {
    await put(1_200);
    const strangers = () => {
      for (let n = 0; n < 40; n += 1) map().add(`30.0.0.${n}`, '1');
    };
    strangers();
    kit.rule.took(master.current.pid, 1_200, 1, 10_000);
    master.script = (command) => {
      if (!command.includes(' commit map ') || sent('commit') > 1) return undefined;
      const { text } = master.answer(command);
      strangers();
      return { kind: 'say', bytes: text };
    };
    const verdict = await time.during(kit.workers.ensureWhole(kit.blocked, master.current.pid));
    expect(verdict).toMatchObject({ whole: true });
    expect(live()).toEqual(texts(1_200).sort());
    expect([sent('del'), sent('commit')]).toEqual([0, 2]);
  });
});
