// ADR 0054: which additions are made without a lookup.
import SqliteDatabase from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { type BlockingKit, caller, toBlock } from '../../../testkit/blocking.ts';
import { itScripted as it } from '../../../testkit/scripted-blocking.ts';
import { type ScriptedMaster, say } from '../../../testkit/scripted-master.ts';

const ip = '192.0.2.1';

const block = (kit: BlockingKit) => kit.blockedSet.block(toBlock(ip), caller());

/** The map commands about the address since `from`. */
const commandsOf = (master: ScriptedMaster, from = 0): string[] =>
  master.commands
    .slice(from)
    .filter((command) => command.includes(` ${ip}`))
    .map((command) => command.split(' ')[1] ?? '');

const held = (master: ScriptedMaster, kit: BlockingKit): readonly { key: string }[] => master.map(kit.mapPath).live();

describe('an addition', () => {
  it('that the database lacks is not looked up in a worker that is in sync, and is read back', async ({
    kit,
    master,
  }) => {
    const from = master.commands.length;
    expect((await block(kit)).answer.runtime_map_updated).toBe(true);
    expect(commandsOf(master, from)).toEqual(['add', 'get']);
  });

  it('that the database holds is looked up, because HAProxy would store it twice', async ({ kit, master }) => {
    await block(kit);
    const from = master.commands.length;
    expect((await block(kit)).answer.runtime_map_updated).toBe(true);
    expect(commandsOf(master, from)).toEqual(['get', 'get']);
    expect(held(master, kit)).toHaveLength(1);
  });

  it('is looked up in a worker that is out of sync', async ({ kit, master }) => {
    master.map(kit.mapPath).add(ip, '1');
    kit.registry.markAllSuspect('blocked', 'a test');
    expect((await block(kit)).answer.runtime_map_updated).toBe(true);
    expect(held(master, kit)).toHaveLength(1);
  });

  it('is looked up in a worker that replaced the compared one', async ({ kit, master }) => {
    // It reads the line of the block from the map file.
    master.reload({ [kit.mapPath]: [`${ip} 1`] });
    expect((await block(kit)).answer.runtime_map_updated).toBe(true);
    expect(held(master, kit)).toHaveLength(1);
  });

  it('is looked up when it is repeated after a lost reply', async ({ kit, master, time }) => {
    let lost = 0;
    master.script = (command) => {
      if (!command.includes(` add `) || lost > 0) return undefined;
      lost += 1;
      master.answer(command);
      return say('', 'reset');
    };
    expect((await time.during(block(kit))).answer.runtime_map_updated).toBe(true);
    expect(lost).toBe(1);
    expect(held(master, kit)).toHaveLength(1);
  });

  it('is looked up during a bulk change, which changes the database before the workers', async ({ kit, master }) => {
    master.map(kit.mapPath).add(ip, '1');
    const end = kit.registry.bulkChangeBegins();
    await block(kit);
    end();
    expect(held(master, kit)).toHaveLength(1);
  });

  it('is looked up once another process has committed to the database, until the table is counted', async ({
    kit,
    master,
  }) => {
    const database = new SqliteDatabase(kit.databaseFile);
    database.exec("INSERT INTO blocked_ips (ip_address, blocked_at) VALUES ('192.0.2.9', '2026-11-20T12:00:00.000Z')");
    database.close();
    expect(await kit.store.absentOf([ip])).toEqual(new Set());
    const from = master.commands.length;
    await block(kit);
    expect(commandsOf(master, from)).toEqual(['get', 'add', 'get']);
    await kit.keeper.updateBlockedIpsMap();
    expect(await kit.store.absentOf(['192.0.2.2', ip])).toEqual(new Set(['192.0.2.2']));
  });
});
