import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, entryOf, toBlock } from '../../../testkit/blocking.ts';
import { eventually } from '../../../testkit/conditions.ts';
import { openScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import type { ScriptedMaster } from '../../../testkit/scripted-master.ts';
import type { StoppedTime } from '../../../testkit/stop-time.ts';
import { Conversation } from '../../haproxy/socket/conversation.ts';

describe('a repair of many entries', () => {
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
  /** Each delete scans the map, in `ms` for 3,000 entries. */
  const deletesScan = (ms = 0.2) => kit.strategy.record(master.current.pid, 3_000, 1, ms);

  it('decides by what the worker holds, which may be far more than expected', async () => {
    await put(50);
    for (let n = 0; n < 3_000; n += 1) map().add(`30.0.${n >> 8}.${n & 255}`, '1');
    deletesScan();
    expect(await kit.workers.sync(kit.blocked, master.current.pid)).toMatchObject({ inSync: true });
    expect(live()).toEqual(texts(50).sort());
    expect([sent('del'), sent('commit')]).toEqual([0, 1]);
  });

  it('decides by what the worker held before a bulk change', async () => {
    await put(3_000);
    deletesScan(1);
    expect(await put(50)).toMatchObject({ removed: 2_950, runtime_map_updated: true });
    expect(live()).toEqual(texts(50).sort());
    // The last slice is smaller.
    expect(sent('del')).toBeLessThan(120);
    expect(sent('commit')).toBe(1);
  });

  it('adds missing entries in smaller slices to a slow worker', async () => {
    await put(100);
    for (const text of texts(100).slice(0, 60)) map().del(text);
    let resumed = Promise.withResolvers<void>();
    let looks = 0;
    master.script = (command) => {
      // After an abandoned command, the worker's late answers are read first.
      if (command.endsWith(' show map')) resumed.resolve();
      looks = command.includes(' get map ') ? looks + 1 : 0;
      if (looks < 55) return undefined;
      resumed = Promise.withResolvers();
      return { kind: 'wait', until: resumed.promise };
    };
    const verdict = await time.during(kit.workers.sync(kit.blocked, master.current.pid));
    expect(verdict).toMatchObject({ inSync: true, reason: null, added: 60 });
    expect(live()).toEqual(texts(100).sort());
  });

  it('forgets the measurements of a worker that is gone', async () => {
    await kit.reconciler.check(true);
    const { pid } = master.current;
    deletesScan();
    master.reload();
    master.draining = [];
    await kit.reconciler.check(false);
    expect(kit.strategy.commandMs(pid, 3_000)).toBe(null);
  });

  it('replaces again if commands for the remaining differences would take longer', async () => {
    await put(1_200);
    const unexpected = () => {
      for (let n = 0; n < 40; n += 1) map().add(`30.0.0.${n}`, '1');
    };
    unexpected();
    kit.strategy.record(master.current.pid, 1_200, 1, 10_000);
    master.script = (command) => {
      if (!command.includes(' commit map ') || sent('commit') > 1) return undefined;
      const { text } = master.answer(command);
      unexpected();
      return { kind: 'say', bytes: text };
    };
    const verdict = await time.during(kit.workers.sync(kit.blocked, master.current.pid));
    expect(verdict).toMatchObject({ inSync: true });
    expect(live()).toEqual(texts(1_200).sort());
    expect([sent('del'), sent('commit')]).toEqual([0, 2]);
  });

  describe('by lines', () => {
    const foreign = Array.from({ length: 300 }, (_, n) => `30.0.${n >> 8}.${n & 255}`);
    beforeEach(async () => {
      master.master.version = '3.2.26-1~deb13u1';
      await kit.reconciler.check(true);
      await put(50);
      for (const text of foreign) map().add(text, '1');
    });

    it('removes hundreds of entries in one or two lines', async () => {
      const finish = vi.spyOn(Conversation.prototype, 'finish');
      expect(await kit.workers.sync(kit.blocked, master.current.pid)).toMatchObject({ inSync: true, removed: 300 });
      expect(live()).toEqual(texts(50).sort());
      const lines = finish.mock.calls.filter(([, line]) => line !== undefined);
      expect(sent('del')).toBe(300);
      // The length of the map's path decides.
      expect([1, 2]).toContain(lines.length);
      finish.mockRestore();
    });

    it('keeps an address that was blocked since the comparison', async () => {
      const listing = Promise.withResolvers<void>();
      const blocked = foreign[7]!;
      let listings = 0;
      master.script = (command) => {
        if (!command.endsWith(` show map ${kit.mapPath}`)) return undefined;
        listings += 1;
        return listings === 2 ? { kind: 'late', until: listing.promise } : undefined;
      };
      const verdict = kit.workers.sync(kit.blocked, master.current.pid);
      await eventually('it is being compared', () => listings === 2);
      await kit.blockedSet.block(toBlock(blocked), caller());
      listing.resolve();
      expect(await time.during(verdict)).toMatchObject({ inSync: true, removed: 299, added: 0 });
      expect(live()).toEqual([...texts(50), blocked].sort());
    });

    it('compares only when a line that its worker left unanswered has ended', async () => {
      const blocked = foreign.at(-1)!;
      const resumed = Promise.withResolvers<void>();
      let block: Promise<unknown> | undefined;
      master.script = (command) => {
        if (sent('del') !== 1 || !command.includes(' del map ')) return undefined;
        setTimeout(() => {
          block = kit.blockedSet.block(toBlock(blocked), caller());
          setTimeout(() => resumed.resolve(), 100);
        }, 3_000);
        return { kind: 'wait', until: resumed.promise };
      };
      const verdict = await time.during(kit.workers.sync(kit.blocked, master.current.pid));
      await time.during(Promise.resolve(block));
      await time.pass(1_000);
      expect(verdict).toMatchObject({ inSync: true, reason: null });
      expect(live()).toEqual([...texts(50), blocked].sort());
    });
  });

  describe('of duplicates', () => {
    const duplicate = (count: number, value = '1') => {
      for (const text of texts(count)) map().add(text, value);
    };
    const listings = () => master.commands.filter((command) => command.endsWith(` show map ${kit.mapPath}`)).length;
    const ensure = () => kit.workers.sync(kit.blocked, master.current.pid);
    /** After the listings of the verification and the comparison. */
    const elementsListing = 3;
    const atEachListing = (work: (listing: number) => ReturnType<ScriptedMaster['script']>) => {
      const before = listings();
      master.script = (command) =>
        command.endsWith(` show map ${kit.mapPath}`) ? work(listings() - before) : undefined;
    };
    const changesOfTurns = () => {
      const changes: number[] = [];
      const take = kit.turns.take.bind(kit.turns);
      vi.spyOn(kit.turns, 'take').mockImplementation((lane, work, owner) =>
        take(
          lane,
          async () => {
            const before = sent('set') + sent('del');
            const result = await work();
            const sentNow = sent('set') + sent('del') - before;
            if (sentNow > 0) changes.push(sentNow);
            return result;
          },
          owner,
        ),
      );
      return changes;
    };

    it('lists the map once for all of them, without a turn', async () => {
      await put(1_200);
      duplicate(40);
      const before = listings();
      const idle: boolean[] = [];
      atEachListing(() => void idle.push(kit.turns.idle));
      expect(await ensure()).toMatchObject({ inSync: true, corrected: 40 });
      expect(live()).toEqual(texts(1_200).sort());
      expect(listings() - before).toBe(elementsListing + 1);
      expect(idle).not.toContain(false);
    });

    it('gives the listing more time than a slice has', async () => {
      await put(100);
      duplicate(1);
      const resumed = Promise.withResolvers<void>();
      let listing = 0;
      atEachListing((nth) => {
        listing = nth;
        return nth === elementsListing ? { kind: 'wait', until: resumed.promise } : undefined;
      });
      const verdict = ensure();
      await eventually('the elements are being listed', () => listing === elementsListing);
      await time.pass(20_000);
      resumed.resolve();
      expect(await time.during(verdict)).toMatchObject({ inSync: true, corrected: 1 });
    });

    it('splits the duplicates of one address over several turns, their values first', async () => {
      await put(100);
      map().byKey = 'one';
      for (let n = 0; n < 150; n += 1) duplicate(1, n % 2 === 0 ? '0' : '1');
      map().set(texts(1)[0]!, '1');
      for (const entry of map().live().slice(-60)) entry.value = '0';
      const lookups = new Set<string>();
      master.script = (command) => {
        if (command.includes(' map #')) lookups.add(map().get(texts(1)[0]!));
        return undefined;
      };
      const changes = changesOfTurns();
      expect(await time.during(ensure())).toMatchObject({ inSync: true });
      expect(live()).toEqual(texts(100).sort());
      expect(Math.max(...changes)).toBeLessThanOrEqual(100);
      expect([...lookups].every((reply) => reply.includes('value="1"'))).toBe(true);
    });

    it('measures commands by element and by key separately', async () => {
      await put(1_200);
      kit.strategy.record(master.current.pid, 1_200, 100, 1);
      duplicate(40);
      const changes = changesOfTurns();
      expect(await time.during(ensure())).toMatchObject({ inSync: true });
      expect(changes[0]).toBe(2);
    });

    it('leaves an address that changed since the listing to the next one', async () => {
      await put(100);
      duplicate(2);
      const changed = texts(1)[0]!;
      const elements = map()
        .live()
        .filter(({ key }) => key === changed)
        .map(({ element }) => element);
      const resumed = Promise.withResolvers<void>();
      let listing = 0;
      atEachListing((nth) => {
        listing = nth;
        return nth === elementsListing ? { kind: 'late', until: resumed.promise } : undefined;
      });
      const verdict = ensure();
      await eventually('the elements are listed', () => listing === elementsListing);
      await kit.blockedSet.unblock(entryOf(changed), caller());
      const fresh = ['9.0.0.1', '9.0.0.2'];
      for (const text of [...fresh, changed]) await kit.blockedSet.block(toBlock(text), caller());
      const reused = map()
        .live()
        .filter(({ element }) => elements.includes(element));
      expect(reused.map(({ key }) => key)).toEqual(fresh);
      resumed.resolve();
      expect(await time.during(verdict)).toMatchObject({ inSync: true, corrected: 1, added: 0 });
      expect(live()).toEqual([...texts(100), ...fresh].sort());
    });

    it('repairs a changed address that still has a duplicate in the next round', async () => {
      await put(100);
      duplicate(1);
      const resumed = Promise.withResolvers<void>();
      let listing = 0;
      atEachListing((nth) => {
        listing = nth;
        return nth === elementsListing ? { kind: 'late', until: resumed.promise } : undefined;
      });
      const verdict = ensure();
      await eventually('the elements are listed', () => listing === elementsListing);
      await kit.blockedSet.block(toBlock(texts(1)[0]!), caller());
      resumed.resolve();
      expect(await time.during(verdict)).toMatchObject({ inSync: true, corrected: 1 });
      expect(live()).toEqual(texts(100).sort());
    });

    it('succeeds if another process removes a duplicate meanwhile', async () => {
      await put(100);
      duplicate(2);
      atEachListing((nth) => {
        if (nth !== elementsListing) return undefined;
        const { text } = master.answer(`@1 show map ${kit.mapPath}`);
        map().del(`#${map().live().at(-1)!.element}`);
        return { kind: 'say', bytes: text };
      });
      expect(await time.during(ensure())).toMatchObject({ inSync: true, reason: null });
      expect(live()).toEqual(texts(100).sort());
    });
  });
});
