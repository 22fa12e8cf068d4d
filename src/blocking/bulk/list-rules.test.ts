import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, entryOf, toBlock } from '../../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import { codes } from '../../errors/catalogue.ts';
import { BlockedIpsStore } from '../../store/blocked-ips-store.ts';
import type { BatchOptions, BulkItem, ReplaceOptions, RequestedBlock } from '../blocked-set-service.ts';
import { RuntimeChanger } from '../write/runtime-changer.ts';

const maxEntries = 120;

let kit: BlockingKit;
let close: () => Promise<void>;
let hasEffect: boolean;
beforeEach(async () => {
  hasEffect = true;
  const trustUsage = {
    get last() {
      return { mapLoaded: true, hasEffect };
    },
    check: async () => trustUsage.last,
  };
  ({ kit, close } = await openScriptedBlocking({ maxEntries, trustUsage }));
  await kit.reconciler.check(true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await close();
});

type Element = string | Partial<RequestedBlock & { ip: string }>;

function request(element: Element): RequestedBlock {
  const { ip = '', ...more } = typeof element === 'string' ? { ip: element } : element;
  return toBlock(ip, { expiry: { kind: 'keep' }, ...more });
}

const batch = (add: readonly Element[], remove: readonly string[] = [], options: BatchOptions = {}) =>
  kit.blockedSet.batch(
    {
      add: add.map((element, index) => ({ index, request: request(element) })),
      remove: remove.map((text, index) => ({ index, entry: entryOf(text) })),
      rejected: [],
    },
    caller(),
    options,
  );

const put = (elements: readonly Element[], options: Partial<ReplaceOptions> = {}) => {
  const source = async function* (): AsyncIterable<readonly BulkItem[]> {
    yield elements.map((element) => ({ ok: true, request: request(element) }) as const);
  };
  return kit.blockedSet.replaceAll(source(), { allowShrink: false, ...options }, caller());
};

const block = (ip: string, more: Partial<RequestedBlock> = {}) => kit.blockedSet.block(toBlock(ip, more), caller());
const all = async () => (await kit.store.scanTexts(null, 1_000)).texts;
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `203.0.113.${n}`);

describe('a wide network', () => {
  it('is rejected without consent, and blocked with it', async () => {
    await expect(block('10.0.0.0/8', { force: true })).rejects.toMatchObject({
      code: codes.WideNetwork,
      status: 409,
      members: { ip_address: '10.0.0.0/8', contains: ['10.0.0.0/8'] },
    });
    expect(await all()).toEqual([]);
    const { answer } = await block('10.0.0.0/8', { allowWide: true });
    expect(answer).toMatchObject({ ip_address: '10.0.0.0/8', special: 'private' });
  });

  it.each([
    ['batch', () => batch(['0.0.0.0/1', '192.0.2.1', { ip: '2.0.0.0/7', force: true }])],
    ['PUT', () => put(['0.0.0.0/1', '192.0.2.1', { ip: '2.0.0.0/7', force: true }])],
  ])('is a rejected line of a %s, and the others are applied', async (_name, send) => {
    const { rejected, ...counts } = await send();
    expect(counts).toMatchObject({ added: 1, rejected_total: 2 });
    expect(rejected).toMatchObject([
      { index: 0, value: '0.0.0.0/1', code: codes.WideNetwork },
      { index: 2, value: '2.0.0.0/7', why: '2.0.0.0/7 is wider than /8', code: codes.WideNetwork },
    ]);
    expect(await all()).toEqual(['192.0.2.1']);
  });

  it.each([
    ['batch', (elements: readonly Element[], options: BatchOptions) => batch(elements, [], options)],
    ['PUT', (elements: readonly Element[], options: BatchOptions) => put(elements, { allowShrink: true, ...options })],
  ])('is blocked by a %s that allows it for one, or for all', async (_name, send) => {
    const one = await send([{ ip: '127.0.0.0/8', allowWide: true }, '8.0.0.0/6'], {});
    expect(one).toMatchObject({ added: 1, rejected_total: 1, special_total: 1 });
    expect(await send(['127.0.0.0/8', '8.0.0.0/6'], { allowWide: true })).toMatchObject({
      added: 1,
      rejected_total: 0,
    });
    expect(await all()).toEqual(['8.0.0.0/6', '127.0.0.0/8']);
  });

  it('that is already blocked stays when the list is replaced', async () => {
    await block('10.0.0.0/8', { allowWide: true });
    expect(await put(['10.0.0.0/8', '192.0.2.1'])).toMatchObject({ added: 1, unchanged: 1, rejected_total: 0 });
    expect(await all()).toEqual(['10.0.0.0/8', '192.0.2.1']);
  });
});

describe('a trusted address', () => {
  const trust = (ip: string) =>
    kit.trusted.put(entryOf(ip), { expiry: { kind: 'duration', seconds: 3_600 } }, caller());

  it('that is already blocked stays when the list is replaced', async () => {
    await block('192.0.2.1');
    await block('192.0.2.2');
    await trust('192.0.2.0/30');
    expect(await put(['192.0.2.1', '192.0.2.2', '192.0.2.3'], { allowShrink: true })).toMatchObject({
      unchanged: 2,
      removed: 0,
      rejected: [{ index: 2, value: '192.0.2.3', code: codes.CoveredByTrust }],
    });
    expect(await all()).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('whose block has expired is not blocked again by a list, even before its row is removed', async () => {
    await block('192.0.2.1', { expiry: { kind: 'at', at: new Date(Date.now() - 1) } });
    await block('192.0.2.9');
    await trust('192.0.2.0/30');
    expect(await put(['192.0.2.1', '192.0.2.9'], { allowShrink: true })).toMatchObject({
      rejected: [{ index: 0, value: '192.0.2.1', code: codes.CoveredByTrust }],
    });
    expect(await all()).toEqual(['192.0.2.9']);
  });

  it('is blocked like others if the live configuration does not exempt it', async () => {
    await trust('192.0.2.0/30');
    await expect(block('192.0.2.1')).rejects.toMatchObject({ code: codes.CoveredByTrust });
    expect(await put(['192.0.2.1'])).toMatchObject({ rejected_total: 1 });
    expect(await batch(['192.0.2.1'])).toMatchObject({ rejected_total: 1 });
    hasEffect = false;
    const { answer } = await block('192.0.2.1');
    expect(answer).not.toHaveProperty('overridden_by');
    expect((await block('192.0.2.0/24')).answer).not.toHaveProperty('trusted_inside');
    expect(await batch(['192.0.2.2'])).toMatchObject({ added: 1, rejected_total: 0 });
    const whole = ['192.0.2.0/24', '192.0.2.1', '192.0.2.2', '192.0.2.3'];
    expect(await put(whole)).toMatchObject({ added: 1, unchanged: 3, rejected_total: 0 });
    expect(await all()).toEqual(whole);
  });
});

it('reports and counts entries in special ranges', async () => {
  const { answer } = await block('192.168.1.0/24');
  expect(answer.special).toBe('private');
  expect((await block('203.0.113.1')).answer).not.toHaveProperty('special');
  const elements = ['203.0.113.2', '127.0.0.1', 'fe80::1', '192.168.1.0/24'];
  const special = [
    { ip_address: '127.0.0.1', special: 'loopback' },
    { ip_address: 'fe80::1', special: 'link-local' },
    { ip_address: '192.168.1.0/24', special: 'private' },
  ];
  expect(await batch(elements)).toMatchObject({ special, special_total: 3 });
  expect(await put(elements)).toMatchObject({ special, special_total: 3 });
  expect(await batch(['203.0.113.2'])).not.toHaveProperty('special_total');
});

it('sums up the entries of CDNs', async () => {
  const elements = ['173.245.48.7', '151.101.1.1', '203.0.113.3', '173.245.48.8', '2606:4700::1', '127.0.0.1'];
  const known_cdns = [
    { cdn: 'cloudflare', entries: 3, example: '173.245.48.7' },
    { cdn: 'fastly', entries: 1, example: '151.101.1.1' },
  ];
  expect(await batch(elements)).toMatchObject({ known_cdns });
  expect(await put(elements)).toMatchObject({ known_cdns });
  expect(await batch(['203.0.113.2'])).not.toHaveProperty('known_cdns');
});

describe('an element of a list', () => {
  const soon = new Date('2100-01-01T00:00:00Z');
  const late = new Date('2100-01-02T00:00:00Z');
  const ends = async () => (await kit.store.get('192.0.2.1'))?.expires_at ?? null;

  it.each([
    ['batch', (element: Element) => batch([element])],
    ['PUT', (element: Element) => put([element])],
  ])('of a %s never shortens a block, and counts what it changes', async (_name, send) => {
    await block('192.0.2.1', { expiry: { kind: 'at', at: soon }, reason: 'court order', blockedBy: 'legal' });
    expect(await send('192.0.2.1')).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
    expect(await ends()).toBe(soon.toISOString());
    const withEnd = (at: Date) => send({ ip: '192.0.2.1', expiry: { kind: 'not-before', at } });
    expect(await withEnd(late)).toMatchObject({ updated: 1, unchanged: 0 });
    expect(await withEnd(soon)).toMatchObject({ updated: 0, unchanged: 1 });
    expect(await ends()).toBe(late.toISOString());
    expect(await send({ ip: '192.0.2.1', expiry: { kind: 'duration', seconds: 60 } })).toMatchObject({ unchanged: 1 });
    expect(await send({ ip: '192.0.2.1', reason: 'list' })).toMatchObject({ updated: 1 });
    expect(await kit.store.get('192.0.2.1')).toMatchObject({ reason: 'list', blocked_by: 'legal' });
    expect(await ends()).toBe(late.toISOString());
    expect(await send({ ip: '192.0.2.1', expiry: { kind: 'permanent' } })).toMatchObject({ updated: 1 });
    expect(await ends()).toBeNull();
    const changes = kit.events.filter(({ type }) => type === 'entries.changed');
    if (changes.length > 0) expect(changes.at(-1)!.data).toMatchObject({ updated: 1, unchanged: 0 });
  });

  it.each([
    ['batch', (elements: readonly Element[]) => batch(elements, ['192.0.2.2'], { dryRun: true })],
    ['PUT', (elements: readonly Element[]) => put(elements, { dryRun: true })],
  ])('of a dry run of a %s is counted, and nothing is changed', async (name, send) => {
    await batch(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    kit.events.length = 0;
    const answer = await send([{ ip: '192.0.2.1', reason: 'list' }, '192.0.2.3', '192.0.2.4', '0.0.0.0/1']);
    const counts = { added: 1, updated: 1, removed: 1, unchanged: 1, rejected_total: 1 };
    expect(answer, name).toMatchObject({ ...counts, dry_run: true });
    expect(await all()).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    expect(await kit.store.get('192.0.2.1')).toMatchObject({ reason: null });
    expect(kit.events).toEqual([]);
  });
});

describe('a set without an address', () => {
  it.each([
    ['nothing', []],
    ['only what is rejected', ['0.0.0.0/1']],
  ])('of %s is refused while one entry exists', async (_name, elements) => {
    await block('192.0.2.1');
    await expect(put(elements)).rejects.toMatchObject({
      code: codes.ShrinkRefused,
      members: { would_remove: 1, current_total: 1 },
    });
    expect(await all()).toEqual(['192.0.2.1']);
  });

  it('is accepted if nothing is blocked, or with consent', async () => {
    expect(await put([])).toMatchObject({ removed: 0 });
    await block('192.0.2.1');
    expect(await put([], { allowShrink: true })).toMatchObject({ removed: 1 });
  });
});

describe('a check of a network', () => {
  it('reports the blocked entries inside if none covers all of it', async () => {
    await batch(['192.0.2.0', '192.0.2.7', '192.0.2.64/26', '192.0.3.1']);
    expect(await kit.blockedSet.check(entryOf('192.0.2.0/24'))).toMatchObject({
      verdict: 'partly',
      by: null,
      enforced: null,
      workers: [],
      blocked_inside: ['192.0.2.0', '192.0.2.7', '192.0.2.64/26'],
      blocked_inside_total: 3,
    });
    const nothing = { blocked_inside: [], blocked_inside_total: 0 };
    expect(await kit.blockedSet.check(entryOf('192.0.4.0/24'))).toMatchObject({ verdict: 'allowed', ...nothing });
    expect(await kit.blockedSet.check(entryOf('192.0.2.64/27'))).toMatchObject({ verdict: 'blocked', ...nothing });
    expect(await kit.blockedSet.check(entryOf('192.0.2.8'))).toMatchObject({ verdict: 'allowed', ...nothing });
  });

  it('lists the first hundred', async () => {
    await batch(numbered(110));
    const { blocked_inside: inside, blocked_inside_total: total } = await kit.blockedSet.check(
      entryOf('203.0.112.0/23'),
    );
    expect([inside.length, inside.at(-1), total]).toEqual([100, '203.0.113.99', 110]);
  });
});

it.each([
  ['one by one', Number.POSITIVE_INFINITY],
  ['as a bulk change', 1],
])('a batch says which removed addresses a network still covers: %s', async (_name, removalsAtMost) => {
  await batch(['192.0.2.0/24', '192.0.0.0/16', '192.0.2.1', '192.0.2.2', '198.51.100.1']);
  vi.spyOn(kit.strategy, 'perGroup').mockReturnValue(removalsAtMost);
  const remove = ['192.0.2.1', '192.0.2.2', '192.0.2.9', '198.51.100.1', '192.0.2.0/24'];
  expect(await batch([], remove)).toMatchObject({
    removed: 4,
    still_blocked: ['192.0.2.1', '192.0.2.2', '192.0.2.9', '192.0.2.0/24'].map((ip_address) => ({
      ip_address,
      by: '192.0.0.0/16',
    })),
    still_blocked_total: 4,
  });
  expect(await batch(['192.0.2.1'])).not.toHaveProperty('still_blocked');
});

it('a dry run says which addresses a network would still cover, without those that it would remove', async () => {
  await batch(['192.0.2.0/24', '192.0.0.0/16', '192.0.2.1', '198.51.100.1']);
  const remove = ['192.0.2.1', '198.51.100.1', '192.0.2.0/24'];
  expect(await batch([], remove, { dryRun: true })).toMatchObject({
    still_blocked: ['192.0.2.1', '192.0.2.0/24'].map((ip_address) => ({ ip_address, by: '192.0.0.0/16' })),
    still_blocked_total: 2,
  });
  const all = await batch([], [...remove, '192.0.0.0/16'], { dryRun: true });
  expect(all).toMatchObject({ removed: 4, still_blocked: [], still_blocked_total: 0 });
  expect(await batch(['192.0.2.9'], [], { dryRun: true })).not.toHaveProperty('still_blocked');
});

describe('the maximum number of entries', () => {
  const full = (members: object) => ({ code: codes.SetFull, status: 409, members: { limit: maxEntries, ...members } });

  it('rejects one entry too many, but never a change or removal of an existing one', async () => {
    await batch(numbered(maxEntries));
    await expect(block('192.0.2.1')).rejects.toMatchObject(full({ current_total: 120, would_be: 121 }));
    await expect(batch(['203.0.113.0', '192.0.2.1'])).rejects.toMatchObject(full({ would_be: 121 }));
    await expect(batch(['192.0.2.1'], [], { dryRun: true })).rejects.toMatchObject(full({ would_be: 121 }));
    await expect(put([...numbered(maxEntries), '192.0.2.1'])).rejects.toMatchObject(full({ would_be: 121 }));
    expect(await kit.store.count()).toBe(maxEntries);
    expect((await block('203.0.113.0', { reason: 'again' })).created).toBe(false);
    expect(await batch(['192.0.2.1'], ['203.0.113.1'])).toMatchObject({ added: 1, removed: 1 });
    await kit.blockedSet.unblock(entryOf('203.0.113.2'), caller());
    expect((await block('192.0.2.2')).created).toBe(true);
  });

  it.each([
    ['batch', (add: readonly string[]) => batch(add, [], { dryRun: true })],
    ['PUT', (add: readonly string[]) => put([...numbered(100), ...add], { dryRun: true })],
  ])('is in the answer of a dry run (%s), for lists that are sent in parts', async (_name, send) => {
    await batch(numbered(100));
    const parts = await Promise.all([send(['192.0.2.1', '192.0.2.2']), send(['192.0.2.3'])]);
    expect(parts).toMatchObject([
      { added: 2, current_total: 100, limit: maxEntries },
      { added: 1, current_total: 100, limit: maxEntries },
    ]);
    expect(await batch(['192.0.2.1'])).not.toHaveProperty('limit');
  });

  it('accepts exactly one of many simultaneous requests for the last place', async () => {
    await batch(numbered(maxEntries - 1));
    const asked = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '203.0.113.0'].map((ip) => block(ip));
    const outcomes = (await Promise.allSettled(asked)).map(({ status }) => status);
    expect(outcomes).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(await kit.store.count()).toBe(maxEntries);
  });

  it('holds for a batch that is a bulk change', async () => {
    vi.spyOn(kit.strategy, 'perGroup').mockReturnValue(1);
    await batch(numbered(maxEntries));
    const more = batch(['192.0.2.1', '192.0.2.2', '192.0.2.3'], ['203.0.113.1', '203.0.113.2']);
    await expect(more).rejects.toMatchObject(full({ would_be: 121 }));
    expect(await batch(['192.0.2.1', '192.0.2.2'], ['203.0.113.1', '203.0.113.2'])).toMatchObject({ added: 2 });
  });
});

describe('the maximum number of claims to addresses that are blocked already', () => {
  const full = (members: object) => ({ code: codes.SetFull, status: 409, members: { limit: maxEntries, ...members } });
  const claims = async () => (await kit.database.read.selectFrom('claims').select('source').execute()).length;
  beforeEach(async () => {
    await batch(numbered(100));
    await batch(numbered(100), [], { source: 'one' });
    await batch(numbered(20), [], { source: 'two' });
    expect(await claims()).toBe(maxEntries);
  });

  it('refuses another one, whatever asks for it, and changes nothing', async () => {
    const one = { current_total: 120, would_be: 121 };
    await expect(block('203.0.113.20', { source: 'two' })).rejects.toMatchObject(full(one));
    await expect(batch(['203.0.113.20'], [], { source: 'two' })).rejects.toMatchObject(full(one));
    await expect(batch(['203.0.113.20'], [], { source: 'two', dryRun: true })).rejects.toMatchObject(full(one));
    await expect(put(numbered(21), { source: 'two' })).rejects.toMatchObject(full(one));
    await expect(put(numbered(100), { source: 'new' })).rejects.toMatchObject(full({ would_be: 220 }));
    expect(await claims()).toBe(maxEntries);
  });

  it('accepts as many as are dropped, existing ones, new addresses, and those of operators', async () => {
    expect(await put(numbered(40).slice(20), { source: 'two' })).toMatchObject({ updated: 20 });
    expect(await claims()).toBe(maxEntries);
    expect((await block('203.0.113.20', { source: 'two', reason: 'again' })).created).toBe(false);
    expect((await block('192.0.2.1', { source: 'two' })).created).toBe(true);
    expect((await block('192.0.2.1')).created).toBe(false);
    expect(await claims()).toBe(maxEntries + 1);
    await kit.blockedSet.unblock(entryOf('203.0.113.0'), caller(), { source: 'one' });
    await kit.blockedSet.unblock(entryOf('203.0.113.1'), caller(), { source: 'one' });
    expect((await block('203.0.113.0', { source: 'two' })).changed).toBe(true);
    await expect(block('203.0.113.1', { source: 'two' })).rejects.toMatchObject(full({ would_be: 121 }));
  });

  it('accepts exactly one of many simultaneous requests for the last place', async () => {
    await kit.blockedSet.unblock(entryOf('203.0.113.0'), caller(), { source: 'one' });
    const asked = ['203.0.113.0', '203.0.113.0', '203.0.113.1'].map((ip, n) =>
      block(ip, { source: ['one', 'one', 'new'][n]! }),
    );
    const outcomes = (await Promise.allSettled(asked)).map(({ status }) => status);
    expect(outcomes).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('counts again after another process removed some', async () => {
    const file = new SqliteDatabase(kit.databaseFile);
    file.exec(`delete from blocked_ips where ip_address in ('203.0.113.0', '203.0.113.1')`);
    file.close();
    await kit.keeper.updateBlockedIpsMap();
    expect(kit.store.furtherClaims).toBe(116);
    expect((await block('203.0.113.20', { source: 'two' })).changed).toBe(true);
  });
});

describe('an internal error', () => {
  const defect = new TypeError("Cannot read properties of undefined (reading 'length')");

  it('before the commit is not reported as a database failure, and says that nothing was changed', async () => {
    vi.spyOn(BlockedIpsStore.prototype, 'applyGroup').mockRejectedValueOnce(defect);
    const failed = await block('192.0.2.1').catch((error) => error);
    expect(failed).toMatchObject({ code: codes.ChangeFailed, status: 500, cause: defect });
    expect(failed.members).toEqual({ committed: { added: 0, updated: 0, removed: 0 } });
    expect(failed.detail).toContain('nothing was changed');
    expect(await all()).toEqual([]);
  });

  it('after the commit reports what each request stored', async () => {
    await block('192.0.2.9');
    vi.spyOn(RuntimeChanger.prototype, 'lookUp').mockReturnValue({
      apply: () => Promise.reject(defect),
      abandon: () => Promise.resolve(),
    });
    const add = block('192.0.2.1').catch((error) => error);
    const change = batch(['192.0.2.9', '192.0.2.2'], ['192.0.2.8']).catch((error) => error);
    expect(await add).toMatchObject({ code: codes.ChangeFailed, members: { committed: { added: 1, removed: 0 } } });
    const { members, detail } = await change;
    expect(members).toEqual({ committed: { added: 1, updated: 0, removed: 0 } });
    expect(detail).not.toContain('nothing was changed');
    expect(await all()).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.9']);
    expect(await kit.fileEntries()).toContain('192.0.2.1 1');
  });

  it('in a bulk change reports what is stored', async () => {
    vi.spyOn(kit.keeper, 'updateBlockedIpsMap').mockRejectedValueOnce(defect);
    const failed = await put(['192.0.2.1', '192.0.2.2']).catch((error) => error);
    expect(failed).toMatchObject({ code: codes.ChangeFailed, members: { committed: { added: 2 } } });
  });
});
