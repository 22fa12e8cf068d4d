import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller, toBlock } from '../../../testkit/blocking.ts';
import { eventually } from '../../../testkit/conditions.ts';
import { openScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import { type ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import type { StoppedTime } from '../../../testkit/stop-time.ts';

const entries = 1_200;
const texts = Array.from({ length: entries }, (_, n) => `20.0.${n >> 8}.${n & 255}`);

describe('an atomic replace', () => {
  let close: () => Promise<void>;
  let master: ScriptedMaster;
  let kit: BlockingKit;
  let time: StoppedTime;

  beforeEach(async () => {
    ({ master, kit, time, close } = await openScriptedBlocking({ fastDeletes: false }));
    const add = texts.map((text, index) => ({ index, request: toBlock(text) }));
    await kit.blockedSet.batch({ add, remove: [], rejected: [] }, caller());
    await kit.reconciler.check(true);
    for (let n = 0; n < 40; n += 1) map().add(`30.0.0.${n}`, '1');
    kit.strategy.record(master.current.pid, entries, 1, 10_000);
  });
  afterEach(async () => {
    await close();
  });

  const map = () => master.map(kit.mapPath);
  const live = () =>
    map()
      .live()
      .map(({ key, value }) => `${key} ${value}`)
      .sort();
  const right = (...more: string[]) => [...texts, ...more].map((text) => `${text} 1`).sort();
  const isCount = (command: string) => command.endsWith(`show map @1 ${kit.mapPath}`);
  const ensure = () => kit.workers.sync(kit.blocked, master.current.pid);

  it('delays no change while its new version is counted', async () => {
    const counted = Promise.withResolvers<void>();
    let counts = 0;
    master.script = (command) => {
      if (!isCount(command)) return undefined;
      counts += 1;
      return counts === 1 ? { kind: 'wait', until: counted.promise } : undefined;
    };
    const repair = ensure();
    await eventually('it is being counted', () => counts > 0);
    const { answer } = await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    expect(answer.runtime_map_updated).toBe(true);
    counted.resolve();
    expect(await time.during(repair)).toMatchObject({ inSync: true });
    // A second listing proved what changed during the first.
    expect(counts).toBe(2);
    expect(map().current).toBe(1);
    expect(live()).toEqual(right('9.9.9.9'));
  });

  it('delays no change while the old entries are freed', async () => {
    const freed = Promise.withResolvers<void>();
    let committed = false;
    master.script = (command) => {
      if (!command.includes(' commit map ')) return undefined;
      committed = true;
      return { kind: 'late', until: freed.promise };
    };
    const repair = ensure();
    await eventually('the commit was sent', () => committed);
    const { answer } = await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    expect(answer.runtime_map_updated).toBe(true);
    freed.resolve();
    expect(await time.during(repair)).toMatchObject({ inSync: true });
    expect(live()).toEqual(right('9.9.9.9'));
  });

  it('delays no change when a worker hangs at its commit', async () => {
    const resumed = Promise.withResolvers<void>();
    let committed = false;
    master.script = (command) => {
      committed ||= command.includes(' commit map ');
      return committed ? { kind: 'wait', until: resumed.promise } : undefined;
    };
    const repair = ensure();
    await eventually('the commit was sent', () => committed);
    const began = performance.now();
    const { answer } = await time.during(kit.blockedSet.block(toBlock('9.9.9.9'), caller()));
    expect(answer.runtime_map_updated).toBe(false);
    // The turn's limit of 1.5 s, not the 20 s of a listing.
    expect(performance.now() - began).toBeLessThan(6_000);
    resumed.resolve();
    expect(await time.during(repair)).toMatchObject({ inSync: true });
    expect(live()).toEqual(right('9.9.9.9'));
  });

  it('applies changes to both versions until the switch is confirmed', async () => {
    const switched = Promise.withResolvers<void>();
    let committed = false;
    master.script = (command) => {
      if (command.includes(' commit map ')) {
        committed = true;
        return { kind: 'wait', until: switched.promise };
      }
      // The live map cannot be read either.
      return committed && command.endsWith(' show map') ? say('No.\n\n') : undefined;
    };
    const repair = ensure();
    await eventually('the commit was sent', () => committed);
    const { answer } = await time.during(kit.blockedSet.block(toBlock('9.9.9.9'), caller()));
    expect(answer.runtime_map_updated).toBe(true);
    expect(map().entries.filter(({ key }) => key === '9.9.9.9')).toMatchObject([{ version: 0 }, { version: 1 }]);
    master.script = () => undefined;
    switched.resolve();
    expect(await time.during(repair)).toMatchObject({ inSync: true });
    expect(live()).toEqual(right('9.9.9.9'));
  });

  it('adds no duplicate of a batch that was added during the fill', async () => {
    const { scan } = kit.blocked;
    const fill = Promise.withResolvers<void>();
    let prepared = false;
    master.script = (command) => {
      prepared ||= command.includes(' prepare map ');
      return undefined;
    };
    Object.assign(kit.blocked, {
      scan: async function* () {
        if (prepared) await fill.promise;
        yield* scan();
      },
    });
    const repair = ensure();
    await eventually('it is prepared', () => prepared && kit.turns.waiting === 0);
    const more = Array.from({ length: 1_200 }, (_, n) => `9.0.${n >> 8}.${n & 255}`);
    const add = more.map((text, index) => ({ index, request: toBlock(text) }));
    const batch = kit.blockedSet.batch({ add, remove: [], rejected: [] }, caller());
    const pending = () => map().entries.filter(({ version }) => version === 1);
    await eventually('all of it is in both versions', () => pending().length === more.length);
    fill.resolve();
    expect(await time.during(repair)).toMatchObject({ inSync: true });
    await batch;
    expect(live()).toEqual(right(...more));
    expect(master.commands.filter((command) => command.includes(' set map '))).toEqual([]);
  });

  it('adds no duplicate of an entry that is blocked again during the fill', async () => {
    const [before, after] = [texts[3]!, texts[4]!];
    const counted = Promise.withResolvers<void>();
    let counts = 0;
    let blockDuringFill: Promise<unknown> | null = null;
    master.script = (command) => {
      if (command.includes(' prepare map ')) blockDuringFill = kit.blockedSet.block(toBlock(before), caller());
      if (!isCount(command)) return undefined;
      counts += 1;
      return counts === 1 ? { kind: 'wait', until: counted.promise } : undefined;
    };
    const repair = ensure();
    await eventually('it is being counted', () => counts > 0);
    await blockDuringFill;
    const { answer } = await kit.blockedSet.block(toBlock(after), caller());
    expect(answer.runtime_map_updated).toBe(true);
    counted.resolve();
    expect(await time.during(repair)).toMatchObject({ inSync: true });
    expect(live()).toEqual(right());
    expect(master.commands.filter((command) => command.includes(' set map '))).toEqual([]);
  });

  it('does not switch to a version that lacks a block made during the count', async () => {
    const countedOnce = Promise.withResolvers<void>();
    const counted = Promise.withResolvers<void>();
    let counts = 0;
    master.script = (command) => {
      if (command.includes(`add map @1 ${kit.mapPath} 9.9.9.9`)) return say('No.\n\n');
      if (!isCount(command)) return undefined;
      counts += 1;
      return { kind: 'wait', until: counts === 1 ? countedOnce.promise : counted.promise };
    };
    // The first listing finds this bucket tainted, so there is a second one, which is rejected.
    const window = kit.windows.begin(['8.8.8.8']);
    const repair = ensure();
    await eventually('it is counted', () => counts === 1);
    window();
    countedOnce.resolve();
    await eventually('it is counted again', () => counts === 2);
    const { answer } = await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    expect(answer.runtime_map_updated).toBe(false);
    counted.resolve();
    expect(await time.during(repair)).toMatchObject({ inSync: false, reason: expect.stringMatching(/not committed/) });
    expect(map().current).toBe(0);
    expect(live()).toContain('9.9.9.9 1');
  });

  it('reads back what changed during the count, before the next comparison', async () => {
    const counted = Promise.withResolvers<void>();
    let counts = 0;
    let lied = false;
    master.script = (command) => {
      // HAProxy replies without an error but adds nothing.
      if (command.includes(`add map @1 ${kit.mapPath} 9.9.9.9`)) {
        lied = true;
        return say('\n');
      }
      if (!isCount(command)) return undefined;
      counts += 1;
      // The first listing finds this bucket tainted, so there is a second one.
      if (counts === 1) kit.windows.begin(['8.8.8.8'])();
      return counts === 2 ? { kind: 'wait', until: counted.promise } : undefined;
    };
    const repair = ensure();
    await eventually('it is counted again', () => counts === 2);
    await kit.blockedSet.block(toBlock('9.9.9.9'), caller());
    // The first listing proved this bucket, so the missing entry goes unnoticed.
    expect(lied).toBe(true);
    counted.resolve();
    expect(await time.during(repair)).toMatchObject({ inSync: true, added: 0 });
    expect(live()).toEqual(right('9.9.9.9'));
  });

  it.each([
    ['goes on changing', () => kit.windows.begin([texts[0]!]), 6],
    [
      'exceeds the limit of addresses',
      () => {
        const many = Array.from({ length: 20_001 }, (_, n) => `40.0.${n >> 8}.${n & 255}`);
        kit.windows.begin(many)();
        return () => undefined;
      },
      3,
    ],
  ])('counts its new version inside the turn if the set of changed addresses %s', async (_what, touch, expected) => {
    let counts = 0;
    let end = (): void => undefined;
    master.script = (command) => {
      if (!isCount(command)) return undefined;
      counts += 1;
      if (counts === 1) end = touch();
      // Hidden from every listing except the one inside the turn.
      if (counts === expected)
        map().entries = map().entries.filter(({ key, version }) => key !== texts[0] || version === 0);
      return undefined;
    };
    expect(await time.during(ensure())).toMatchObject({
      inSync: false,
      reason: expect.stringMatching(/not committed/),
    });
    expect(counts).toBeGreaterThanOrEqual(expected);
    end();
    expect(map().current).toBe(0);
    expect(live()).toContain(`${texts[0]} 1`);
  });

  it('that was abandoned costs one complete comparison, not one per check', async () => {
    master.script = (command) => (command.includes(' commit map ') ? say('No.\n\n') : undefined);
    expect(await time.during(ensure())).toMatchObject({ inSync: false });
    master.script = () => undefined;
    for (let n = 0; n < 40; n += 1) map().del(`30.0.0.${n}`);
    expect(map().entries.length).toBeGreaterThan(entries * 1.5);
    await kit.reconciler.check(false);
    expect(kit.registry.allInSync()).toBe(true);
    const listings = () => master.commands.filter((command) => command.endsWith(`show map ${kit.mapPath}`)).length;
    const before = listings();
    for (let n = 0; n < 3; n += 1) await kit.reconciler.check(false);
    expect(listings()).toBe(before);
    // A difference is still found.
    map().entries = map().entries.filter(({ key, version }) => key !== texts[0] || version !== 0);
    await kit.reconciler.check(false);
    expect(live()).toEqual(right());
  });
});
