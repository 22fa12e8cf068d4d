// The claims of five sources to twenty addresses, whatever is done to them, also across crashes: an address is blocked
// if and only if a claim lives, and its row carries the claim that ends last.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, entryOf, openBlocking, toBlock } from '../../testkit/blocking.ts';
import { longTests } from '../../testkit/proxies.ts';
import { ScriptedMap } from '../../testkit/scripted-map.ts';
import { ScriptedMaster } from '../../testkit/scripted-master.ts';
import { type StoppedTime, stopTime } from '../../testkit/stop-time.ts';
import { countsExactly } from '../../testkit/store/claim-counts.ts';
import { entryOfSortKey } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import { BulkStore } from '../store/bulk-store.ts';
import type { BulkItem, Expiry } from './blocked-set-service.ts';

const noon = Date.parse('2026-11-20T12:00:00.000Z');
const minute = 60_000;
/** A crash is a copy of the files here, so nothing has to reach a disk. */
const inMemory = '/dev/shm';
const hour = 60 * minute;
const agents = ['fail2ban', 'honeypot'] as const;
const lists = ['drop', 'tor'] as const;
const sources = ['manual', ...agents, ...lists] as const;
type Source = (typeof sources)[number];

const TEXTS = [
  ...Array.from({ length: 10 }, (_, n) => `192.0.2.${n + 1}`),
  ...['192.0.2.0/24', '198.51.100.0/25', '198.51.100.7', '203.0.113.0/28', '203.0.113.1'],
  ...['2001:db8::1', '2001:db8::2', '2001:db8:1::/48', '2001:db8:2::1', '2001:db8:2::/64'],
];

interface Said {
  readonly reason: string | null;
  readonly end: string | null;
}
/** By address and source: `192.0.2.1 drop`. */
type Claims<T extends Said = Said> = Map<string, T>;

/** A few more often, so that sources meet. */
const address = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('192.0.2.1', '192.0.2.0/24', '2001:db8::1') },
  { weight: 1, arbitrary: fc.constantFrom(...TEXTS) },
);
const addresses = (max: number) => fc.uniqueArray(address, { maxLength: max });
const reason = fc.constantFrom('a', 'b');
const ownSource = fc.option(fc.constantFrom('manual', ...agents), { nil: undefined });
const anySource = fc.option(fc.constantFrom(...sources), { nil: undefined });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('block' as const),
      ip: address,
      source: anySource,
      hours: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
      reason,
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('unblock' as const), ip: address, source: ownSource }) },
  fc.record({ op: fc.constant('batch' as const), add: addresses(6), remove: addresses(6), source: ownSource }),
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('put' as const), ips: addresses(12), source: anySource }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('select' as const),
      source: fc.option(fc.constantFrom('manual', ...agents), { nil: undefined, freq: 1 }),
      reason: fc.option(reason, { nil: undefined }),
    }),
  },
  fc.record({
    op: fc.constant('release' as const),
    source: fc.constantFrom(...agents),
    seconds: fc.constantFrom(0, 1_800),
  }),
  fc.record({ op: fc.constant('keep' as const), source: fc.constantFrom(...agents) }),
  fc.record({ op: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 90 }) }),
  { weight: 3, arbitrary: fc.record({ op: fc.constant('undo' as const), of: fc.nat(5) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
/** `crash`: after how many commits of the step the service dies; null: it does not. */
const crash = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
);
const program = fc.array(fc.record({ one: step, crash }), { minLength: 10, maxLength: 24, size: 'max' });

let clock: number;
let folder: string;
let master: ScriptedMaster;
let kit: BlockingKit;
let time: StoppedTime;
/** Copies what a crash would leave, once that many commits were made. */
let dies: { after: number; left: (() => void) | null } | null = null;
let rows: number[] = [];

const open = () => openBlocking({ folder, masterSocket: master.path, now: () => new Date(clock) });

/** Nothing is blocked, and every source exists. */
async function begin(): Promise<void> {
  folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'pmm-'));
  const path = join(folder, 'blocked.map');
  master = new ScriptedMaster(join(folder, 'm.sock'), { [path]: [], [`${path}.trusted`]: [] });
  await master.listen();
  kit = await open();
  await kit.keeper.updateBlockedIpsMap();
  for (const name of agents) await kit.sources.ensure(name, 'agent');
  for (const name of lists) await kit.sources.ensure(name, 'list');
}

async function end(): Promise<void> {
  await kit.close();
  await master.stop();
  rmSync(folder, { recursive: true, force: true });
}

beforeEach(async () => {
  clock = noon;
  dies = null;
  time = stopTime();
  await begin();
  const { applyGroup } = BlockedIpsStore.prototype;
  vi.spyOn(BlockedIpsStore.prototype, 'applyGroup').mockImplementation(async function (this: BlockedIpsStore, ...args) {
    const applied = await applyGroup.apply(this, args);
    committed();
    return applied;
  });
  const { applySlice } = BulkStore.prototype;
  vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, id, _limit, ...more) {
    const applied = await applySlice.call(this, id, 3, ...more);
    committed();
    return applied;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  time[Symbol.dispose]();
  await end();
});

/** Database and map file as they are now, between the commit and the file or the workers. */
function committed(): void {
  if (dies === null || dies.left !== null) return;
  dies.after -= 1;
  if (dies.after > 0) return;
  dies.left = copyOfFiles();
}

function copyOfFiles(): () => void {
  const files = [kit.databaseFile, `${kit.databaseFile}-wal`, kit.mapPath];
  for (const file of files) if (existsSync(file)) cpSync(file, `${file}.left`);
  const lines = running();
  return () => {
    for (const file of [...files, `${kit.databaseFile}-shm`]) rmSync(file, { force: true });
    for (const file of files) if (existsSync(`${file}.left`)) cpSync(`${file}.left`, file);
    for (const file of files) rmSync(`${file}.left`, { force: true });
    master.current.maps.set(kit.mapPath, new ScriptedMap(lines));
  };
}

/** As a start does, in its order. */
async function startAgain(left: () => void): Promise<void> {
  await kit.close();
  left();
  kit = await open();
  expect(await kit.claims.repair(new Date(clock))).toEqual({ counts: 0, restored: [] });
  const acceptShrink = await kit.bulk.finishInterrupted();
  await kit.keeper.updateBlockedIpsMap({ acceptShrink });
  await kit.bulk.forgetFinished();
  await kit.trusted.updateTrustedIpsMap();
  await kit.reconciler.check(true);
}

const running = (): string[] =>
  master
    .map(kit.mapPath)
    .live()
    .map(({ key, value }) => `${key} ${value}`);

const by = () => ({ ...caller(), audited: (row: number) => void rows.push(row) });
async function* listOf(ips: readonly string[]): AsyncGenerator<readonly BulkItem[]> {
  yield ips.map((text) => ({ ok: true, request: toBlock(text, { expiry: { kind: 'keep' } }) }) as const);
}
const put = (ips: readonly string[], source?: string) =>
  kit.blockedSet.replaceAll(listOf(ips), { allowShrink: true, source }, by());
const ended = ({ end }: Said): boolean => end !== null && end <= new Date(clock).toISOString();
const textOf = (name: string): string => name.split(' ')[0]!;
const sourceIn = (name: string): Source => name.split(' ')[1] as Source;

/** From the database; `at`: when it was claimed. Checks what is true of every row. */
async function claimed(): Promise<Claims<Said & { readonly at: string }>> {
  const { read } = kit.database;
  const names = new Map((await read.selectFrom('sources').selectAll().execute()).map(({ id, name }) => [id, name]));
  const carried = await read.selectFrom('blocked_ips').selectAll().execute();
  const further = await read.selectFrom('claims').selectAll().execute();
  const all: Claims<Said & { readonly at: string }> = new Map();
  for (const { source, sort_key, ...row } of carried) {
    const others = further.filter((claim) => claim.sort_key.equals(sort_key));
    expect(others).toHaveLength(row.others);
    const own = { reason: row.reason, end: row.expires_at, at: row.claimed_at ?? row.blocked_at };
    all.set(`${row.ip_address} ${names.get(source)}`, own);
    for (const { expires_at: end, claimed_at: at } of others) {
      const later = end === own.end ? at < own.at : end === null || (own.end !== null && end > own.end);
      expect(later, `a claim to ${row.ip_address} ends later than its row, or is older`).toBe(false);
    }
  }
  for (const { sort_key, source, ...claim } of further) {
    const name = `${entryOfSortKey(sort_key, 0).text} ${names.get(source)}`;
    expect(all.has(name), `${name} twice`).toBe(false);
    all.set(name, { reason: claim.reason, end: claim.expires_at, at: claim.claimed_at });
  }
  expect(further.length).toBe(carried.reduce((sum, { others }) => sum + others, 0));
  expect(kit.database.blockedCount.further).toBe(further.length);
  await countsExactly(kit.database);
  return all;
}

const says = (said: Said | undefined): Said | undefined =>
  said === undefined ? undefined : { reason: said.reason, end: said.end };
const saysOf = (all: Claims): Claims => new Map([...all].map(([name, said]) => [name, says(said)!]));

interface Done {
  readonly id: number;
  readonly before: Awaited<ReturnType<typeof claimed>>;
  readonly after: Awaited<ReturnType<typeof claimed>>;
}

/** The rules once more, as simply as possible. */
class Model {
  claims: Claims = new Map();
  readonly releases = new Map<string, number>();

  add(ip: string, source: Source, { reason: why, end }: Said): void {
    this.claims.set(`${ip} ${source}`, { reason: why, end });
  }

  /** A list element without a time keeps the claim that there is. */
  list(ip: string, source: Source): void {
    if (!this.claims.has(`${ip} ${source}`)) this.add(ip, source, { reason: null, end: null });
  }

  drop(isMeant: (name: string, said: Said) => boolean): number {
    const names = [...this.claims].filter(([name, said]) => isMeant(name, said)).map(([name]) => name);
    for (const name of names) this.claims.delete(name);
    return new Set(names.map(textOf)).size;
  }

  /** Without a source what operators and agents claim. */
  dropOf(source: Source | undefined, isMeant: (name: string, said: Said) => boolean): number {
    const isOwn = (name: string) =>
      source === undefined ? !(lists as readonly string[]).includes(sourceIn(name)) : sourceIn(name) === source;
    return this.drop((name, said) => isOwn(name) && isMeant(name, said));
  }
}

/** Time has passed: what has ended is swept, and what is due is dropped. */
async function pass(model: Model): Promise<void> {
  while (await kit.expiry.expireOnce());
  while ((await kit.claims.sweep(new Date(clock), 100)) > 0);
  model.drop((_, said) => ended(said));
  await kit.releases.dropDue();
  for (const [source, at] of model.releases) {
    if (at > clock) continue;
    model.drop((name) => sourceIn(name) === source);
    model.releases.delete(source);
  }
}

async function carryOut(one: Step, model: Model, done: readonly Done[]): Promise<void> {
  const { blockedSet } = kit;
  if (one.op === 'block') {
    const end = one.hours === null ? null : new Date(clock - (clock % hour) + one.hours * hour);
    const expiry: Expiry = end === null ? { kind: 'permanent' } : { kind: 'at', at: end };
    await blockedSet.block(toBlock(one.ip, { expiry, source: one.source, reason: one.reason }), by());
    model.add(one.ip, one.source ?? 'manual', { reason: one.reason, end: end?.toISOString() ?? null });
  } else if (one.op === 'unblock') {
    const dropped = model.dropOf(one.source, (name) => textOf(name) === one.ip);
    const answer = blockedSet.unblock(entryOf(one.ip), by(), { source: one.source });
    if (dropped > 0) await answer;
    else await expect(answer).rejects.toMatchObject({ status: expect.any(Number) });
  } else if (one.op === 'batch') {
    const remove = one.remove.filter((text) => !one.add.includes(text));
    const request = {
      add: one.add.map((text, index) => ({ index, request: toBlock(text, { expiry: { kind: 'keep' } }) })),
      remove: remove.map((text, index) => ({ index, entry: entryOf(text) })),
      rejected: [],
    };
    await blockedSet.batch(request, by(), { source: one.source });
    for (const ip of one.add) model.list(ip, one.source ?? 'manual');
    model.dropOf(one.source, (name) => remove.includes(textOf(name)));
  } else if (one.op === 'put') {
    const source = one.source ?? 'manual';
    await put(one.ips, one.source);
    model.drop((name) => sourceIn(name) === source && !one.ips.includes(textOf(name)));
    for (const ip of one.ips) model.list(ip, source);
  } else if (one.op === 'select') {
    // Without a filter all claims would be meant, which a request may not ask for.
    const selected = { source: one.source, reason: one.reason };
    if (selected.source === undefined && selected.reason === undefined) return;
    const meant = model.dropOf(one.source, (_, said) => one.reason === undefined || said.reason === one.reason);
    const dry = await kit.bulkUnblock.unblock({ ...selected, expect: null, dryRun: true }, by());
    expect(dry.removed + (dry.still_claimed_total ?? 0)).toBe(meant);
    await kit.bulkUnblock.unblock({ ...selected, expect: meant, dryRun: false }, by());
  } else if (one.op === 'release') {
    await kit.releases.release(one.source, one.seconds, by());
    model.releases.set(one.source, clock + one.seconds * 1_000);
  } else if (one.op === 'keep') {
    await kit.releases.keep(one.source, by());
    model.releases.delete(one.source);
  } else if (one.op === 'undo') {
    // Of the latest.
    const target = done.at(-1 - one.of);
    if (target !== undefined) await undo(target, model);
  }
}

/** Exact, or nothing is changed. */
async function undo({ id, before, after }: Done, model: Model): Promise<void> {
  const current = await claimed();
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)),
  );
  const live = (said: (Said & { readonly at: string }) | undefined) =>
    said === undefined || ended(said) ? undefined : said;
  const same = (a: object | undefined, b: object | undefined) => JSON.stringify(a) === JSON.stringify(b);
  const isExact = names.every((name) => {
    const [is, left, wanted] = [current.get(name), live(after.get(name)), live(before.get(name))];
    return same(says(is), says(wanted)) || same(is, left);
  });
  const answer = kit.undo.undo(id, { dryRun: false }, by());
  if (!isExact) return await expect(answer).rejects.toMatchObject({ code: codes.CannotUndo });
  await answer;
  for (const name of names) {
    const wanted = says(live(before.get(name)));
    if (wanted === undefined) model.claims.delete(name);
    else model.claims.set(name, wanted);
  }
}

async function check(model: Model): Promise<void> {
  expect(saysOf(await claimed())).toEqual(model.claims);
  const blocked = [...new Set([...model.claims.keys()].map(textOf))].map((text) => `${text} 1`).sort();
  expect((await kit.fileEntries()).sort()).toEqual(blocked);
  expect(running().sort()).toEqual(blocked);
  expect(await kit.store.count()).toBe(blocked.length);
}

/** An undo of several sources is a bulk change for each: a crash leaves each done or not. */
async function settlePartly(model: Model, before: Claims): Promise<void> {
  const left = saysOf(await claimed());
  for (const name of new Set([...model.claims.keys(), ...before.keys(), ...left.keys()])) {
    expect([before.get(name), model.claims.get(name)]).toContainEqual(left.get(name));
  }
  model.claims = left;
}

it('whatever is done to claims, and wherever the service dies, an address is blocked while one of them lives', async () => {
  let failed = false;
  await fc.assert(
    fc.asyncProperty(program, async (steps) => {
      if (failed) {
        dies = null;
        await end();
        await begin();
      }
      failed = true;
      clock += hour - (clock % hour);
      const model = new Model();
      const done: Done[] = [];
      for (const { one, crash } of steps) {
        clock += one.op === 'wait' ? one.minutes * minute : 1_000;
        dies = crash === null ? null : { after: crash, left: null };
        await pass(model);
        if (dies?.left) {
          await startAgain(dies.left);
          dies = null;
          await pass(model);
        }
        const before = await claimed();
        rows = [];
        await carryOut(one, model, done);
        const dying = dies;
        dies = null;
        if (dying !== null) {
          await startAgain(dying.left ?? copyOfFiles());
          if (one.op === 'undo') await settlePartly(model, saysOf(before));
        }
        await check(model);
        const id = rows.at(-1);
        const after = await claimed();
        if (id !== undefined && JSON.stringify([...before]) !== JSON.stringify([...after]))
          done.push({ id, before, after });
      }
      for (const name of sources) await put([], name);
      for (const name of agents) await kit.releases.keep(name, by());
      await kit.database.write.updateTable('sources').set({ released: 0 }).execute();
      await check(new Model());
      failed = false;
    }),
    { numRuns: longTests ? 1_500 : 6 },
  );
}, 600_000);
