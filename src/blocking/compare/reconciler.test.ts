import { appendFileSync, writeFileSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlockingKit, caller, entryOf, toBlock } from '../../../testkit/blocking.ts';
import { eventually, settled } from '../../../testkit/conditions.ts';
import { openScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import { hang, type ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import type { StoppedTime } from '../../../testkit/stop-time.ts';
import { mapNames } from '../mirrored-map.ts';

let close: () => Promise<void>;
let master: ScriptedMaster;
let kit: BlockingKit;
let time: StoppedTime;

beforeEach(async () => {
  ({ master, kit, time, close } = await openScriptedBlocking());
  for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await kit.blockedSet.block(toBlock(ip), caller());
  await kit.reconciler.check(true);
});
afterEach(async () => {
  await close();
});

const map = () => master.map(kit.mapPath);
const right = ['192.0.2.1 1', '192.0.2.2 1', '192.0.2.3 1'];
const running = (worker = master.current) =>
  master
    .map(kit.mapPath, worker)
    .live()
    .map((entry) => `${entry.key} ${entry.value}`)
    .sort();
const listings = () => master.commands.filter((command) => command.endsWith(`show map ${kit.mapPath}`)).length;

describe('a check by the reconciler', () => {
  it('lists no map while workers, counts and file are unchanged', async () => {
    expect(kit.registry.allInSync()).toBe(true);
    const before = listings();
    for (let n = 0; n < 3; n += 1) await kit.reconciler.check(false);
    expect(listings()).toBe(before);
  });

  it('through a reload repeats only an interrupted comparison, and only once', async () => {
    let cuts = 1;
    master.script = (command) => {
      const cut = cuts > 0 && command.endsWith(`show map ${kit.mapPath}`);
      if (cut) cuts -= 1;
      return cut ? say('0x1 192.0.2.1 1\n', 'close') : undefined;
    };
    await kit.reconciler.check(true);
    expect(kit.registry.hasPassingDifference()).toBe(true);
    expect(kit.registry.allInSync()).toBe(false);
    cuts = 1;
    await kit.reconciler.checkThroughReload(true);
    expect(kit.registry.allInSync()).toBe(true);
    const before = listings();
    await kit.reconciler.checkThroughReload(true);
    expect(listings()).toBe(before + 1);
  });

  it.each([
    ['an entry that is gone', () => map().del('192.0.2.2')],
    ['an entry too much', () => map().add('198.51.100.1', '1')],
    ['an entry twice', () => map().add('192.0.2.2', '1')],
  ])('finds by the count, and repairs, %s', async (_what, spoil) => {
    spoil();
    await kit.reconciler.check(false);
    expect(running()).toEqual(right);
    expect(kit.registry.allInSync()).toBe(true);
    expect(kit.lines.some((line) => line.message.includes('was repaired'))).toBe(true);
  });

  it.each([
    ['a value 0', () => map().set('192.0.2.2', '0')],
    ['one lost and one duplicate', () => map().del('192.0.2.2') + map().add('192.0.2.1', '1')],
    ['one swapped for another', () => map().del('192.0.2.2') + map().add('198.51.100.1', '1')],
    ['one under another spelling', () => map().del('192.0.2.2') + map().add('192.0.2.2/32', '1')],
  ])('finds by the comparison, and repairs, what a count cannot show: %s', async (_what, spoil) => {
    spoil();
    await kit.reconciler.check(false);
    expect(running()).not.toEqual(right);
    await kit.reconciler.check(true);
    expect(running()).toEqual(right);
  });

  it('compares and repairs a new worker and the draining one', async () => {
    const old = master.current;
    master.reload({ [kit.mapPath]: ['192.0.2.1 1'] });
    master.map(kit.mapPath, old).del('192.0.2.3');
    await kit.reconciler.check(false);
    expect(running()).toEqual(right);
    expect(running(old)).toEqual(right);
    expect(kit.registry.allInSync()).toBe(true);
  });

  it('waits once for a draining worker that hangs, after the current worker', async () => {
    const old = master.current;
    master.reload({ [kit.mapPath]: ['192.0.2.1 1'] });
    master.script = (command) => (command.startsWith(`@!${old.pid} `) ? hang : undefined);
    const from = master.commands.length;
    const began = performance.now();
    await time.during(kit.reconciler.check(true), 20);
    expect(running()).toEqual(right);
    const [current, draining] = [kit.registry.current()!, kit.registry.byPid(old.pid)!];
    expect([kit.registry.isInSync(current), kit.registry.isInSync(draining)]).toEqual([true, false]);
    const asked = master.commands.slice(from);
    const ofOld = asked.filter((command) => command.startsWith(`@!${old.pid} `));
    // Of stopped time; each further map would take two seconds more.
    expect(performance.now() - began).toBeLessThan(7_000);
    expect(asked.indexOf(ofOld[0]!)).toBeGreaterThan(asked.findLastIndex((one) => one.startsWith(`@!${current.pid} `)));
    expect(mapNames.filter((name) => kit.registry.stateOf(draining, name).inSync)).toEqual([]);
  });

  it.each(['no reply at all', 'half of one'])(
    'keeps the other workers verified when a draining one exits with %s',
    async (how) => {
      const { pid: old } = master.current;
      master.reload({ [kit.mapPath]: right });
      await kit.reconciler.check(true);
      expect(kit.registry.allInSync()).toBe(true);
      const part = how === 'half of one' ? 'id (file)' : '';
      master.script = (command) => (command.startsWith(`@!${old} `) ? say(part, 'close') : undefined);
      await kit.reconciler.check(false);
      const [current, draining] = [kit.registry.current(), kit.registry.byPid(old)];
      expect(current !== null && kit.registry.isInSync(current)).toBe(true);
      expect(draining && { inSync: kit.registry.isInSync(draining), unresponsive: draining.unresponsive }).toEqual({
        inSync: false,
        unresponsive: false,
      });
      expect(kit.registry.hasPassingDifference()).toBe(true);
    },
  );

  it('rewrites a file that was edited, emptied or removed', async () => {
    for (const spoil of [
      () => appendFileSync(kit.mapPath, '198.51.100.9 1\n'),
      () => writeFileSync(kit.mapPath, ''),
      () => kit.keeper.markStale('a test says so'),
    ]) {
      spoil();
      await kit.reconciler.check(false);
      expect((await kit.fileEntries()).sort()).toEqual(right);
      expect(kit.keeper.problem).toBeNull();
    }
  });

  it('blames another process for an edited file only, not for one that the service could not write', async () => {
    kit.lines.length = 0;
    const messages = () => kit.lines.map(({ message }) => message).filter((message) => message.startsWith('Map file'));
    kit.keeper.markStale('the disk was full');
    await kit.reconciler.check(false);
    expect(messages()).toEqual(['Map file is rewritten from the database']);
    expect(kit.lines.at(-1)?.fields).toMatchObject({ reason: 'the disk was full' });
    appendFileSync(kit.mapPath, '198.51.100.9 1\n');
    await kit.reconciler.check(false);
    expect(messages()[1]).toBe('Map file was changed by another process; rewriting it from the database');
  });

  it('schedules a reload and keeps the worker suspect if it rejects repairs', async () => {
    master.script = (command) => (/ (add|set) map /.test(command) ? say('no\n\n') : undefined);
    map().del('192.0.2.2');
    await kit.reconciler.check(false);
    expect(kit.registry.allInSync()).toBe(false);
    expect(kit.reloads.length).toBeGreaterThan(0);
    master.script = () => undefined;
    await kit.reconciler.check(false);
    expect(running()).toEqual(right);
    expect(kit.registry.allInSync()).toBe(true);
  });

  it('runs periodically, and at once on request', async () => {
    kit.reconciler.start();
    // Waits until the check that the reconciler starts with has ended.
    await kit.reconciler.check(false);
    map().del('192.0.2.2');
    await settled();
    expect(running()).toHaveLength(2);
    await time.pass(2_000);
    await eventually('it was repaired', () => running().length === 3);
    // That check marks the map as in sync when it ends; earlier marks would be lost.
    await kit.reconciler.check(false);
    map().set('192.0.2.2', '0');
    kit.registry.markAllSuspect('blocked', 'a test');
    kit.reconciler.kick();
    await eventually('it was repaired', () => running().join() === right.join());
  });

  it('pauses while a bulk change is applied, and runs afterwards', async () => {
    kit.reconciler.start();
    const release = kit.reconciler.pause();
    // Waits until the check that the reconciler starts with has ended.
    await kit.reconciler.check(false);
    map().del('192.0.2.2');
    kit.reconciler.kick();
    for (let times = 0; times < 5; times += 1) {
      const before = master.commands.length;
      await time.pass(2_000);
      await kit.blockedSet.block(toBlock('192.0.2.1'), caller());
      await settled();
      expect(master.commands.slice(before).filter((command) => command.includes('show map'))).toEqual([]);
    }
    expect(running()).toHaveLength(2);
    release();
    await eventually('it was repaired', () => running().length === 3);
  });

  it('recovers when rows were edited outside the service and the API then changed them', async () => {
    const database = new SqliteDatabase(kit.databaseFile);
    database.exec("DELETE FROM blocked_ips WHERE ip_address = '192.0.2.3'");
    database.close();
    // A row that the service counted already: its expected count is off by one from here on.
    await kit.blockedSet.block(toBlock('192.0.2.3'), caller());
    await kit.reconciler.check(true);
    await kit.reconciler.check(true);
    expect(running()).toEqual(right);
    expect(kit.keeper.expected.total).toBe(3);
    expect(kit.registry.allInSync()).toBe(true);
    await kit.blockedSet.unblock(entryOf('192.0.2.3'), caller());
    expect(running()).toHaveLength(2);
  });
});
