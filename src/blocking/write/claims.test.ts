// What an unblock and an expiry do to an address that other sources claim too.
import { readFile } from 'node:fs/promises';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { type BlockingKit, caller } from '../../../testkit/blocking.ts';
import { itScripted as it } from '../../../testkit/scripted-blocking.ts';
import type { ScriptedMaster } from '../../../testkit/scripted-master.ts';
import { entry } from '../../../testkit/store/store-folder.ts';
import { codes } from '../../errors/catalogue.ts';
import type { BlockedChange } from '../../store/blocked-ips-store.ts';
import type { GroupWriter } from './group-writer.ts';

const ip = '192.0.2.1';
const LIST = 3;

function sources(kit: BlockingKit): void {
  const database = new SqliteDatabase(kit.databaseFile);
  const insert = database.prepare(
    "insert into sources (id, name, kind, created_at) values (?, ?, ?, '2026-11-20T12:00:00.000Z')",
  );
  insert.run(2, 'fail2ban', 'agent');
  insert.run(LIST, 'drop', 'list');
  database.close();
}

const change = (kit: BlockingKit, ...changes: BlockedChange[]): ReturnType<GroupWriter['change']> =>
  kit.writer.change(changes, 'urgent', performance.now() + 1_000, { operation: 'block', caller: caller() });

const claim = (source?: number, at?: string): BlockedChange => ({
  op: 'add',
  entry: entry(ip),
  source,
  expiry: at === undefined ? { kind: 'permanent' } : { kind: 'at', at },
});

const commandsOf = (master: ScriptedMaster, from: number): string[] =>
  master.commands
    .slice(from)
    .filter((command) => command.includes(` ${ip}`))
    .map((command) => command.split(' ')[1] ?? '');

const held = (master: ScriptedMaster, kit: BlockingKit): readonly { key: string }[] => master.map(kit.mapPath).live();
const logged = (kit: BlockingKit): string[] => kit.lines.map(({ message }) => message);

describe('an unblock after which another source still claims the address', () => {
  it('sends nothing, reads every worker back, and is not logged as an update', async ({ kit, master }) => {
    sources(kit);
    await change(kit, claim());
    await change(kit, claim(LIST));
    const from = master.commands.length;
    const lines = kit.lines.length;
    expect((await kit.blockedSet.unblock(entry(ip), caller())).answer).toMatchObject({ runtime_map_updated: true });
    expect(new Set(commandsOf(master, from))).toEqual(new Set(['get']));
    expect(held(master, kit)).toHaveLength(1);
    expect(logged(kit).slice(lines)).toEqual(['Operation done']);
    expect(kit.events.map(({ type }) => type)).not.toContain('entry.unblocked');
    expect(await kit.store.get(ip)).not.toBeNull();
  });

  it('gives the entry back to a worker that lacks it', async ({ kit, master }) => {
    sources(kit);
    await change(kit, claim(), claim(LIST));
    master.map(kit.mapPath).del(ip);
    expect((await kit.blockedSet.unblock(entry(ip), caller())).answer).toMatchObject({ runtime_map_updated: true });
    expect(held(master, kit)).toHaveLength(1);
  });

  it('unblocks it with the last claim', async ({ kit, master }) => {
    sources(kit);
    await change(kit, claim(), claim(2));
    expect((await kit.blockedSet.unblock(entry(ip), caller())).answer).toMatchObject({ runtime_map_updated: true });
    expect(held(master, kit)).toEqual([]);
    expect(await kit.store.get(ip)).toBeNull();
  });

  it('adopts a row that an operator inserted, and enforces it', async ({ kit, master }) => {
    sources(kit);
    const database = new SqliteDatabase(kit.databaseFile);
    database.prepare("insert into blocked_ips (ip_address, blocked_at) values (?, '2026-11-20 11:00:00')").run(ip);
    database.close();
    await expect(kit.blockedSet.unblock(entry(ip), caller(), { source: 'fail2ban' })).rejects.toMatchObject({
      code: codes.NotFound,
      members: { still_claimed_by: [{ source: 'manual' }], runtime_map_updated: true },
    });
    expect(await kit.store.get(ip)).not.toBeNull();
    expect(held(master, kit)).toHaveLength(1);
    expect(await readFile(kit.mapPath, 'utf8')).toContain(`${ip} 1`);
  });
});
