// Blocks and lists of several sources: an address is blocked while at least one of them claims it.
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caller, entryOf, toBlock } from '../../testkit/blocking.ts';
import { type BulkChanges, openBulkChanges, texts } from '../../testkit/bulk-changes.ts';
import { codes } from '../errors/catalogue.ts';
import { SourcesStore } from '../store/sources-store.ts';
import { StoreError } from '../store/store-error.ts';
import type { BulkItem, ReplaceOptions } from './blocked-set-service.ts';
import { EntryLimit } from './write/entry-limit.ts';

const byAddress = { by: 'address', descending: false } as const;

const ip = '192.0.2.1';
let changes: BulkChanges;
beforeEach(async () => {
  changes = await openBulkChanges();
});
afterEach(() => changes.close());

const fail2ban = () => ({ ...caller(), keyName: 'fail2ban', boundTo: 'fail2ban' });
const ban = (text = ip, source?: string) =>
  changes.kit.blockedSet.block(toBlock(text, { expiry: { kind: 'duration', seconds: 3_600 }, source }), fail2ban());
const unban = async (text = ip, source?: string) =>
  (await changes.kit.blockedSet.unblock(entryOf(text), fail2ban(), { source })).answer;
async function* listOf(addresses: readonly string[]): AsyncGenerator<readonly BulkItem[]> {
  yield addresses.map((text) => ({ ok: true, request: toBlock(text, { expiry: { kind: 'keep' } }) }) as const);
}
const put = (source: string, addresses: readonly string[], options: Partial<ReplaceOptions> = {}) =>
  changes.kit.blockedSet.replaceAll(listOf(addresses), { allowShrink: false, source, ...options }, caller());

it.each(['dry run', 'broken body', 'set beyond the limit'])('a new source is not created by a %s', async (what) => {
  const broken = async function* (): AsyncGenerator<readonly BulkItem[]> {
    yield* listOf([ip]);
    throw new Error('broken');
  };
  const options = { allowShrink: false, source: 'new' };
  const { blockedSet, sources } = changes.kit;
  if (what === 'dry run') await put('new', [ip], { dryRun: true });
  else if (what === 'broken body') await expect(blockedSet.replaceAll(broken(), options, caller())).rejects.toThrow();
  else {
    vi.spyOn(EntryLimit.prototype, 'allows').mockReturnValue(false);
    await expect(put('new', [ip])).rejects.toMatchObject({ code: codes.SetFull });
    vi.restoreAllMocks();
  }
  expect((await sources.list()).map(({ name }) => name)).toEqual(['manual']);
  await put('new', [ip]);
  expect(await sources.list()).toMatchObject([{ name: 'manual' }, { name: 'new', kind: 'list', claims: 1 }]);
  await changes.everywhere([ip]);
});

it('the list of the first source counts beside what the operator blocks', async () => {
  await changes.block(ip);
  vi.spyOn(EntryLimit.prototype, 'allows').mockImplementation((entries) => entries <= 2);
  await expect(put('new', ['192.0.2.2', '192.0.2.3'])).rejects.toMatchObject({ code: codes.SetFull });
  vi.restoreAllMocks();
  await changes.everywhere([ip]);
});

describe('a new source of an agent', () => {
  const names = async () => (await changes.kit.sources.list()).map(({ name }) => name);
  const batch = (add: readonly string[], remove: readonly string[] = [], dryRun = false) =>
    changes.kit.blockedSet.batch(
      {
        add: add.map((text, index) => ({ index, request: toBlock(text) })),
        remove: remove.map((text, index) => ({ index, entry: entryOf(text) })),
        rejected: [],
      },
      fail2ban(),
      { dryRun },
    );

  it.each(['block', 'batch'])('is not left behind by a %s that is refused', async (what) => {
    vi.spyOn(EntryLimit.prototype, 'allows').mockReturnValue(false);
    await expect(what === 'block' ? ban() : batch([ip])).rejects.toMatchObject({ code: codes.SetFull });
    vi.restoreAllMocks();
    expect(await names()).toEqual(['manual']);
    await expect(changes.kit.releases.get('fail2ban')).rejects.toMatchObject({ code: codes.NotFound });
    await ban();
    expect(await changes.kit.releases.get('fail2ban')).toMatchObject({ kind: 'agent', claims: 1, alone: 1 });
  });

  it('is not left behind by two requests at once that are refused', async () => {
    vi.spyOn(EntryLimit.prototype, 'allows').mockReturnValue(false);
    await Promise.allSettled([ban(), ban('192.0.2.2')]);
    vi.restoreAllMocks();
    expect(await names()).toEqual(['manual']);
  });

  it('stays with its claim if the request fails after the commit', async () => {
    vi.spyOn(SourcesStore.prototype, 'list').mockRejectedValueOnce(new StoreError('io', 'the disk'));
    await expect(ban()).rejects.toMatchObject({ members: { committed: { added: 1 } } });
    vi.restoreAllMocks();
    expect(await changes.kit.sources.known('fail2ban')).toMatchObject({ kind: 'agent', removed: 0 });
  });

  it('does not hide why a request was refused, if it cannot be removed', async () => {
    vi.spyOn(EntryLimit.prototype, 'allows').mockReturnValue(false);
    vi.spyOn(SourcesStore.prototype, 'createdInVain').mockRejectedValueOnce(new StoreError('full', 'the disk is full'));
    await expect(ban()).rejects.toMatchObject({ code: codes.SetFull });
    vi.restoreAllMocks();
  });

  it('stays if another request names it while the first one is refused', async () => {
    vi.spyOn(EntryLimit.prototype, 'allows').mockReturnValueOnce(false).mockReturnValue(true);
    const both = await Promise.allSettled([ban(), ban('192.0.2.2')]);
    vi.restoreAllMocks();
    expect(both.map(({ status }) => status)).toContain('fulfilled');
    expect(await changes.kit.sources.list()).toMatchObject([{ name: 'manual' }, { name: 'fail2ban', kind: 'agent' }]);
  });

  it('is not created by a batch that only removes, nor by its dry run', async () => {
    await changes.block(ip);
    expect(await batch([], [ip])).toMatchObject({ removed: 0, unchanged: 1 });
    expect(await batch([], [ip], true)).toMatchObject({ removed: 0, dry_run: true });
    expect(await names()).toEqual(['manual']);
  });
});

describe('fail2ban beside the operator', () => {
  it("lifts its ban, and the operator's block stays in force", async () => {
    await changes.block(ip);
    expect(await ban()).toMatchObject({ created: false, answer: { expires_at: null } });
    const lifted = await unban();
    expect(lifted).toMatchObject({
      runtime_map_updated: true,
      still_claimed_by: [{ source: 'manual', kind: 'manual' }],
    });
    await changes.everywhere([ip]);
    expect(await unban().catch((error: unknown) => error)).toMatchObject({
      code: codes.NotFound,
      members: { still_claimed_by: [{ source: 'manual' }] },
    });
    await changes.unblock(ip);
    await changes.everywhere([]);
  });

  it('keeps its ban apart from that of another jail', async () => {
    const first = await ban(ip, 'fail2ban:sshd');
    expect(first.answer.claims).toMatchObject([{ source: 'fail2ban:sshd', kind: 'agent' }]);
    const { answer } = await ban(ip, 'fail2ban:http');
    expect(answer.claims?.map(({ source, kind }) => [source, kind])).toEqual([
      ['fail2ban:sshd', 'agent'],
      ['fail2ban:http', 'agent'],
    ]);
    await unban(ip, 'fail2ban:sshd');
    await changes.everywhere([ip]);
    await unban(ip, 'fail2ban:http');
    await changes.everywhere([]);
  });

  it('cannot touch the claims of another source', async () => {
    await put('drop', [ip]);
    for (const source of ['drop', 'manual', 'fail2banX']) {
      expect(await unban(ip, source).catch((error: unknown) => error)).toMatchObject({ code: codes.Forbidden });
      expect(await ban(ip, source).catch((error: unknown) => error)).toMatchObject({ code: codes.Forbidden });
    }
    await changes.everywhere([ip]);
  });

  it("is overruled by the operator's unblock, also for several addresses at once", async () => {
    await ban();
    await ban('192.0.2.2');
    await changes.kit.blockedSet.batch(
      {
        add: [],
        remove: [
          { index: 0, entry: entryOf(ip) },
          { index: 1, entry: entryOf('192.0.2.2') },
        ],
        rejected: [],
      },
      caller(),
    );
    await changes.everywhere([]);
  });
});

it('an entry says which blocked networks cover it too', async () => {
  const { blockedSet } = changes.kit;
  for (const text of ['192.0.2.0/24', '192.0.0.0/16', '198.51.100.0/24', ip]) await changes.block(text);
  expect(await blockedSet.get(entryOf(ip))).toMatchObject({ covered_by: ['192.0.2.0/24', '192.0.0.0/16'] });
  expect(await blockedSet.get(entryOf('192.0.2.0/24'))).toMatchObject({ covered_by: ['192.0.0.0/16'] });
  expect(await blockedSet.get(entryOf('192.0.0.0/16'))).toMatchObject({ covered_by: [] });
});

describe('an unblock of what lists claim', () => {
  it('changes nothing if there is nothing else, and names the lists', async () => {
    await put('drop', [ip]);
    const refused = await changes.unblock(ip).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: codes.ClaimedByList,
      status: 409,
      detail:
        '192.0.2.1 is blocked by drop only, which an unblock does not change; to allow it for a time, send trust_for, such as 7d, with an admin key',
      members: { still_claimed_by: [{ source: 'drop', kind: 'list', expires_at: null }] },
    });
    await changes.everywhere([ip]);
  });

  it('drops the others, and names the lists', async () => {
    await changes.block(ip);
    await ban();
    await put('drop', [ip]);
    expect(await changes.unblock(ip)).toMatchObject({ still_claimed_by: [{ source: 'drop' }] });
    expect(await changes.kit.blockedSet.get(entryOf(ip))).toMatchObject({ claims: [{ source: 'drop' }] });
    await changes.everywhere([ip]);
  });

  it('by the name of the list is refused: the next list would bring it back', async () => {
    await put('drop', [ip]);
    const one = changes.kit.blockedSet.unblock(entryOf(ip), caller(), { source: 'drop' });
    await expect(one).rejects.toMatchObject({ code: codes.ClaimedByList });
    const many = changes.kit.blockedSet.batch(
      { add: [], remove: [{ index: 0, entry: entryOf(ip) }], rejected: [] },
      caller(),
      { source: 'drop' },
    );
    await expect(many).rejects.toMatchObject({ code: codes.ClaimedByList });
    await changes.everywhere([ip]);
  });
});

describe('a list of a source', () => {
  const manual = texts(120, '10.1');
  const shared = manual.slice(0, 100);
  const own = texts(50, '10.2');

  beforeEach(async () => {
    await changes.put(listOf(manual));
  });

  it('replaces the claims of this source alone, and says how many addresses others still block', async () => {
    expect(await put('drop', [...shared, ...own])).toMatchObject({ added: 50, updated: 100, removed: 0, unchanged: 0 });
    expect(await put('drop', [...shared, ...own])).toMatchObject({ added: 0, updated: 0, unchanged: 150 });
    await changes.everywhere([...manual, ...own]);
    const less = { removed: 20, unchanged: 80, still_claimed_total: 50 };
    const left = [...shared.slice(0, 50), ...own.slice(0, 30)];
    expect(await put('drop', left, { dryRun: true })).toMatchObject(less);
    expect(await put('drop', left)).toMatchObject(less);
    await changes.everywhere([...manual, ...own.slice(0, 30)]);
  });

  it('is not changed by a list without a source, which replaces manual', async () => {
    await put('drop', [...shared, ...own]);
    expect(await changes.put(listOf(manual.slice(60)))).toMatchObject({
      removed: 0,
      unchanged: 60,
      still_claimed_total: 60,
    });
    await changes.everywhere([...manual, ...own]);
    expect(await changes.put(listOf([]), true)).toMatchObject({ removed: 20, still_claimed_total: 40 });
    await changes.everywhere([...shared, ...own]);
  });

  it('that would lose more than half of its own claims is refused', async () => {
    await put('drop', [...shared, ...own]);
    for (const addresses of [shared.slice(0, 70), []]) {
      const refused = await put('drop', addresses).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: codes.ShrinkRefused, members: { current_total: 170 } });
    }
    await changes.everywhere([...manual, ...own]);
    expect(await put('drop', [], { allowShrink: true })).toMatchObject({ removed: 50, still_claimed_total: 100 });
    await changes.everywhere(manual);
  });

  it('is listed by the exact reason and author of a claim, whatever the entry shows', async () => {
    await put('drop', shared);
    await changes.kit.blockedSet.block(toBlock(shared[0]!, { reason: 'scan', blockedBy: 'ann' }), caller());
    await ban(shared[0]!);
    const query = {
      ...{ limit: 2, cursor: null, offset: 0, q: null, text: null, expiring: false },
      ...{ order: byAddress, entries: {} },
    };
    const found = async (claimed: object) => {
      const { items, total } = await changes.kit.blockedSet.list({ ...query, claimed });
      return [items.map(({ ip_address }) => ip_address), total];
    };
    expect(await found({ reason: 'scan' })).toEqual([[shared[0]], 1]);
    expect(await found({ reason: 'sca' })).toEqual([[], 0]);
    expect(await found({ blocked_by: 'fail2ban' })).toEqual([[shared[0]], 1]);
    expect(await found({ source: 'drop', reason: 'scan' })).toEqual([[], 0]);
    const texts: string[] = [];
    for await (const page of changes.kit.blockedSet.listTexts({ source: 'fail2ban' })) texts.push(...page);
    expect(texts).toEqual([shared[0]]);
  });

  it('is listed and counted by its source', async () => {
    await put('drop', [...shared, ...own]);
    const query = {
      limit: 100,
      cursor: null,
      offset: 0,
      q: null,
      text: null,
      expiring: false,
      order: byAddress,
      entries: {},
      claimed: { source: 'drop' },
    };
    const first = await changes.kit.blockedSet.list(query);
    const rest = await changes.kit.blockedSet.list({ ...query, cursor: first.next_cursor });
    expect(first.total).toBe(150);
    const listed = [...first.items, ...rest.items];
    expect(new Set(listed.map(({ ip_address }) => ip_address))).toEqual(new Set([...shared, ...own]));
    expect(listed[0]?.claims?.map(({ source }) => source)).toEqual(['manual', 'drop']);
    expect(await changes.kit.sources.list()).toMatchObject([
      { name: 'manual', kind: 'manual', claims: 120, alone: 20 },
      { name: 'drop', kind: 'list', claims: 150, alone: 50 },
    ]);
    expect(await changes.kit.sources.claimsByKind()).toEqual({ manual: 120, agent: 0, list: 150 });
    const none = changes.kit.blockedSet.list({ ...query, claimed: { source: 'unknown' } });
    await expect(none).rejects.toMatchObject({ code: codes.NotFound });
  });

  it('is counted also if it takes several slices, with the time of its newest claim', async () => {
    expect(await changes.kit.sources.claimsByKind()).toEqual({ manual: 120, agent: 0, list: 0 });
    const many = texts(9_000, '10.3');
    await put('drop', many);
    const before = await changes.kit.sources.list();
    await changes.time.pass(1_000);
    await put('drop', [...many, ...own]);
    expect(await changes.kit.sources.list()).toMatchObject([
      { name: 'manual', claims: 120, alone: 120 },
      { name: 'drop', claims: 9_050, alone: 9_050 },
    ]);
    const after = await changes.kit.sources.list();
    expect(after[0]!.last_claimed_at).toBe(before[0]!.last_claimed_at);
    expect(after[1]!.last_claimed_at! > before[1]!.last_claimed_at!).toBe(true);
  });

  it('does not create its source in a dry run', async () => {
    expect(await put('drop', own, { dryRun: true })).toMatchObject({ added: 50 });
    expect(await changes.kit.sources.list()).toHaveLength(1);
  });
});

it('a row that an operator inserts for an address of a list becomes a claim of manual', async () => {
  await put('drop', ['2001:db8::1']);
  const database = new SqliteDatabase(changes.kit.databaseFile);
  database.exec("insert into blocked_ips (ip_address, blocked_at) values ('2001:DB8::1', '2026-11-20 11:00:00')");
  database.close();
  await changes.kit.blockedSet.sync(caller());
  expect((await changes.kit.blockedSet.get(entryOf('2001:db8::1'))).claims?.map(({ source }) => source).sort()).toEqual(
    ['drop', 'manual'],
  );
  await put('drop', [], { allowShrink: true });
  await changes.everywhere(['2001:db8::1']);
});

it('a map file that is imported makes no permanent block of an address that a list claims', async () => {
  await put('drop', [ip]);
  const addition = (text: string) => ({ op: 'add', entry: entryOf(text), expiry: { kind: 'keep' } }) as const;
  expect(await changes.kit.store.takeOver([addition(ip), addition('192.0.2.2')], new Date())).toBe(1);
  await put('drop', [], { allowShrink: true });
  expect(await changes.kit.store.get(ip)).toBeNull();
  expect(await changes.kit.store.get('192.0.2.2')).not.toBeNull();
});

describe('claims of a key that is bound later', () => {
  const unbound = () => ({ ...caller(), keyName: 'fail2ban' });

  it('move to its source, and nothing is unblocked', async () => {
    const { kit } = changes;
    for (const text of [ip, '192.0.2.2']) await kit.blockedSet.block(toBlock(text), unbound());
    await changes.block('192.0.2.3');
    await ban('192.0.2.2');
    const bulkChange = Promise.withResolvers<void>();
    const held = kit.bulk.between(() => bulkChange.promise);
    const moved = kit.claimMover.move('fail2ban', 'fail2ban');
    // A bulk change that drops claims would miss or drop what is moved meanwhile.
    expect(await Promise.race([moved, kit.sources.list().then(() => kit.sources.list())])).not.toBe(2);
    bulkChange.resolve();
    await held;
    expect(await moved).toBe(2);
    expect(await kit.claimMover.move('fail2ban', 'fail2ban')).toBe(0);
    await changes.everywhere([ip, '192.0.2.2', '192.0.2.3']);
    expect((await kit.blockedSet.get(entryOf('192.0.2.2'))).claims).toMatchObject([
      { source: 'fail2ban', expires_at: null },
    ]);
    await unban();
    await unban('192.0.2.2');
    await changes.everywhere(['192.0.2.3']);
  });

  it('move beside the claim of a list, and leave it', async () => {
    const { kit } = changes;
    await put('drop', [ip]);
    await kit.blockedSet.block(toBlock(ip, { expiry: { kind: 'duration', seconds: 60 } }), unbound());
    expect(await kit.claimMover.move('fail2ban', 'fail2ban:sshd')).toBe(1);
    expect((await kit.blockedSet.get(entryOf(ip))).claims?.map(({ source }) => source)).toEqual([
      'drop',
      'fail2ban:sshd',
    ]);
  });
});
