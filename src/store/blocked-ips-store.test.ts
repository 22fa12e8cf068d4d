import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { block, blockedTexts, entry, NOON, nothing, StoreFolder, scattered } from '../../testkit/store/store-folder.ts';
import type { BlockedAddition } from './blocked-changes.ts';
import { type BlockedChange, BlockedIpsStore, type ExpiryChange } from './blocked-ips-store.ts';
import type { Database } from './open-database.ts';
import { StoreError } from './store-error.ts';

const SOON = new Date('2026-11-20T12:30:00.000Z');
const ONE = '2026-11-20T13:00:00.000Z';
const TWO = '2026-11-20T14:00:00.000Z';
const THREE = '2026-11-20T15:00:00.000Z';
const LATER = new Date('2026-11-21T00:00:00.000Z');

let folder: StoreFolder;
let database: Database;
let store: BlockedIpsStore;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  store = new BlockedIpsStore(database);
});
afterEach(() => folder.remove());

const add = (text: string, expiry: ExpiryChange = { kind: 'permanent' }): BlockedChange => ({
  op: 'add',
  entry: entry(text),
  expiry,
});
const remove = (text: string): BlockedChange => ({ op: 'remove', entry: entry(text) });
const expire = (text: string, now: string): BlockedChange => ({ op: 'expire', entry: entry(text), now });

describe('a repeated block', () => {
  const until = (at: string): ExpiryChange => ({ kind: 'later-of', until: at });
  const at = (time: string): ExpiryChange => ({ kind: 'at', at: time });
  const permanent: ExpiryChange = { kind: 'permanent' };
  const keep: ExpiryChange = { kind: 'keep' };
  it.each([
    ['without a time becomes permanent', at(ONE), permanent, null],
    ['without a time stays permanent', permanent, permanent, null],
    ['with a duration takes the later end when that is the new one', at(ONE), until(TWO), TWO],
    ['with a duration keeps the later end when that is the old one', at(THREE), until(TWO), THREE],
    ['with a duration stays permanent', permanent, until(TWO), null],
    ['with a time takes it, be it earlier', at(THREE), at(ONE), ONE],
    ['with a time takes it, be it permanent before', permanent, at(ONE), ONE],
    ['by a text line keeps its end', at(ONE), keep, ONE],
    ['by a text line stays permanent', permanent, keep, null],
  ])('%s', async (_, first, again, end) => {
    await store.applyGroup([add('192.0.2.1', first)], NOON, nothing);
    const { effects, net } = await store.applyGroup([add('192.0.2.1', again)], SOON, nothing);
    expect((await store.get('192.0.2.1'))?.expires_at).toBe(end);
    expect(effects).toMatchObject([{ op: 'add', created: false, row: { expires_at: end } }]);
    expect(net).toEqual({ added: [], removed: [] });
  });

  it.each([
    ['permanent', permanent, null],
    ['at', at(ONE), ONE],
    ['later-of', until(ONE), ONE],
    ['keep', keep, null],
  ])('takes the expiry of %s', async (_, expiry, end) => {
    const { effects } = await store.applyGroup([add('192.0.2.1', expiry)], NOON, nothing);
    expect(effects).toMatchObject([{ created: true, row: { expires_at: end, blocked_at: NOON.toISOString() } }]);
  });

  it('keeps its first time, and a reason and source that are not sent again', async () => {
    const first = { ...add('192.0.2.1'), reason: 'scan', blockedBy: 'ann' } as BlockedChange;
    await store.applyGroup([first], NOON, nothing);
    await store.applyGroup([add('192.0.2.1')], LATER, nothing);
    const row = { ip_address: '192.0.2.1', reason: 'scan', blocked_by: 'ann', expires_at: null };
    expect(await store.get('192.0.2.1')).toEqual({ ...row, blocked_at: NOON.toISOString() });
    await store.applyGroup([{ ...add('192.0.2.1'), reason: null, blockedBy: 'bob' } as BlockedChange], LATER, nothing);
    expect(await store.get('192.0.2.1')).toMatchObject({ reason: null, blocked_by: 'bob' });
  });

  it('by a list keeps its expiry, and takes the given reason and source', async () => {
    await store.applyGroup([{ ...add('192.0.2.1', at(ONE)), reason: 'scan' } as BlockedChange], NOON, nothing);
    const list = { ...add('192.0.2.1', keep), reason: 'list', blockedBy: 'import' } as BlockedChange;
    await store.applyGroup([list], SOON, nothing);
    expect(await store.get('192.0.2.1')).toMatchObject({ reason: 'list', blocked_by: 'import', expires_at: ONE });
  });

  it.each([
    ['without a time', permanent, null],
    ['by a text line', keep, null],
    ['with a duration', until(THREE), THREE],
    ['with a time', at(THREE), THREE],
  ])('%s after its expiry is a new one', async (_, again, end) => {
    const row = { ip_address: '192.0.2.1', reason: null, blocked_by: null, blocked_at: TWO, expires_at: end };
    await store.applyGroup([{ ...add('192.0.2.1', at(ONE)), reason: 'scan' } as BlockedChange], NOON, nothing);
    expect((await store.preview([add('192.0.2.1', again)], new Date(TWO))).net.added).toEqual([]);
    const { effects, net } = await store.applyGroup([add('192.0.2.1', again)], new Date(TWO), nothing);
    expect(effects).toEqual([{ op: 'add', created: true, changed: true, row }]);
    // Map file and workers still contain it.
    expect(net).toEqual({ added: [], removed: [] });
    expect(await store.get('192.0.2.1')).toEqual(row);
    const expired = await store.applyGroup([expire('192.0.2.1', TWO)], new Date(TWO), nothing);
    expect(expired.effects).toEqual([{ op: 'expire', removed: null }]);
    expect(await store.count()).toBe(1);
  });

  it('is imported from a map file as new after its expiry, and stays unchanged before', async () => {
    await store.applyGroup([add('192.0.2.1', at(ONE)), add('192.0.2.2', at(THREE))], NOON, nothing);
    const lines = ['192.0.2.1', '192.0.2.2'].map((text) => add(text, keep) as BlockedAddition);
    expect(await store.takeOver(lines, new Date(TWO))).toBe(1);
    expect(await store.get('192.0.2.1')).toMatchObject({ expires_at: null, blocked_at: TWO });
    expect(await store.get('192.0.2.2')).toMatchObject({ expires_at: THREE });
  });

  it('reports whether a field changed', async () => {
    const changed = async (...changes: BlockedChange[]) =>
      (await store.applyGroup(changes, NOON, nothing)).effects.map((effect) => effect.op === 'add' && effect.changed);
    expect(await changed(add('192.0.2.1', at(TWO)))).toEqual([true]);
    expect(await changed(add('192.0.2.1', keep), add('192.0.2.1', until(ONE)))).toEqual([false, false]);
    expect(await changed(add('192.0.2.1', until(THREE)), add('192.0.2.1', until(THREE)))).toEqual([true, false]);
    const named = { ...add('192.0.2.1', keep), blockedBy: 'bob' } as BlockedChange;
    expect(await changed(named, named)).toEqual([true, false]);
  });

  it('can be previewed without a change', async () => {
    await block(store, '192.0.2.1');
    const changes = [add('192.0.2.1', at(ONE)), add('192.0.2.2'), remove('192.0.2.2'), remove('192.0.2.9')];
    const { effects, net } = await store.preview(changes, LATER);
    expect(net).toEqual({ added: [], removed: [] });
    expect(effects).toMatchObject([
      { created: false, changed: true, row: { expires_at: ONE } },
      { created: true },
      { removed: { ip_address: '192.0.2.2' } },
      { removed: null },
    ]);
    expect(await store.get('192.0.2.1')).toMatchObject({ expires_at: null });
    expect(await store.count()).toBe(1);
  });
});

describe('temporary blocks', () => {
  // A slice has 2,000.
  it.each([0, 1, 1_999, 2_000, 2_001, 4_000])('are counted: %i of them, among permanent ones', async (ending) => {
    const later: ExpiryChange = { kind: 'at', at: TWO };
    const changes = Array.from({ length: ending }, (_, n) => add(scattered(n).text, later));
    await store.applyGroup([...changes, add('240.0.0.1'), add('::1')], NOON, nothing);
    expect(await store.countEnding()).toBe(ending);
    expect(await store.nextExpiry()).toBe(ending === 0 ? null : TWO);
  });
});

describe('a group', () => {
  it('applies its changes in order and reports only the net difference', async () => {
    await block(store, '192.0.2.1', '192.0.2.2');
    const seen: unknown[] = [];
    const changes = [
      add('192.0.2.3'),
      remove('192.0.2.3'),
      remove('192.0.2.1'),
      add('192.0.2.1'),
      remove('192.0.2.2'),
      add('192.0.2.4'),
      remove('192.0.2.9'),
    ];
    const { effects, net } = await store.applyGroup(changes, LATER, (difference) => {
      seen.push(difference);
    });
    expect(net).toEqual({ added: ['192.0.2.4'], removed: ['192.0.2.2'] });
    expect(seen).toEqual([net]);
    expect(effects.map((e) => (e.op === 'add' ? e.created : e.removed?.ip_address))).toEqual([
      true,
      '192.0.2.3',
      '192.0.2.1',
      true,
      '192.0.2.2',
      true,
      undefined,
    ]);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.4']);
    expect((await store.get('192.0.2.1'))?.blocked_at).toBe(LATER.toISOString());
    expect(await store.count()).toBe(2);
  });

  it('leaves nothing behind when beforeCommit throws, and throws the same error', async () => {
    await block(store, '192.0.2.1');
    const failure = new Error('the file is full');
    const changes = [add('192.0.2.2'), remove('192.0.2.1')];
    const attempt = store.applyGroup(changes, NOON, async () => {
      expect(await store.get('192.0.2.2')).toBeNull();
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1']);
    expect(await store.count()).toBe(1);
    await block(store, '192.0.2.3');
    expect(await store.count()).toBe(2);
  });

  it('waits for the group before it', async () => {
    let release = nothing;
    const order: string[] = [];
    const first = store.applyGroup([add('192.0.2.1')], NOON, async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      order.push('first');
    });
    const second = store.applyGroup([add('192.0.2.2')], NOON, () => {
      order.push('second');
    });
    while (release === nothing) await new Promise(setImmediate);
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('is durable when it is answered', async () => {
    await block(store, '192.0.2.1');
    const copy = folder.crashed();
    const after = new BlockedIpsStore(await copy.open({ createIfMissing: false }));
    expect(await blockedTexts(after)).toEqual(['192.0.2.1']);
    expect(await after.count()).toBe(1);
    await copy.remove();
  });

  it('of ten thousand changes is one transaction like any other', async () => {
    const texts = Array.from({ length: 10_000 }, (_, n) => `10.1.${n >> 8}.${n & 255}`);
    await block(store, ...texts);
    expect(await blockedTexts(store)).toEqual(texts);
    const { net } = await store.applyGroup(texts.slice(100).map(remove), NOON, nothing);
    expect(net.removed).toHaveLength(9900);
    expect(await store.count()).toBe(100);
  });

  it('refuses a time whose form does not sort by time', async () => {
    const attempt = store.applyGroup([add('192.0.2.1', { kind: 'at', at: '2026-11-20T13:00:00Z' })], NOON, nothing);
    await expect(attempt).rejects.toMatchObject({ name: 'StoreError', reason: 'constraint' });
    expect(await store.get('192.0.2.1')).toBeNull();
  });
});

describe('an expiry', () => {
  it('removes expired entries, and none that was extended meanwhile', async () => {
    const ends = (text: string, at: string) => add(text, { kind: 'at', at });
    await store.applyGroup([ends('192.0.2.1', ONE), ends('192.0.2.2', TWO), add('192.0.2.3')], NOON, nothing);
    expect(await store.nextExpiry()).toBe(ONE);
    expect(await store.expiredBefore(TWO, 10)).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await store.expiredBefore(TWO, 1)).toEqual(['192.0.2.1']);
    const due = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
    expect(await store.dueOf(due, ONE)).toEqual(new Set(['192.0.2.1']));
    expect(await store.presentOf(due)).toEqual(new Set(due.slice(0, 3)));
    const { effects, net } = await store.applyGroup(
      due.map((text) => expire(text, ONE)),
      LATER,
      nothing,
    );
    expect(effects).toMatchObject([{ removed: { ip_address: '192.0.2.1' } }, ...new Array(3).fill({ removed: null })]);
    expect(net).toEqual({ added: [], removed: ['192.0.2.1'] });
    expect(await store.nextExpiry()).toBe(TWO);
  });

  it('has nothing to wait for when every block is permanent', async () => {
    await block(store, '192.0.2.1');
    expect(await store.nextExpiry()).toBeNull();
  });
});

describe('networks', () => {
  beforeEach(() => block(store, '10.0.0.0/8', '10.1.0.0/16', '10.1.2.3', '10.1.2.0/24', '10.2.0.1', '2001:db8::/32'));

  it('that cover an entry are found, the narrowest first, without the entry itself', async () => {
    expect(await store.coveringOf(entry('10.1.2.3'))).toEqual(['10.1.2.0/24', '10.1.0.0/16', '10.0.0.0/8']);
    expect(await store.coveringOf(entry('10.1.0.0/16'))).toEqual(['10.0.0.0/8']);
    expect(await store.coveringOf(entry('11.0.0.1'))).toEqual([]);
    expect(await store.coveringOf(entry('2001:db8::1'))).toEqual(['2001:db8::/32']);
    // As many covering networks as there are prefixes.
    expect(await store.coveringOf(entry('fd00::1'))).toEqual([]);
  });

  it('list the entries inside them', async () => {
    expect(await store.insideOf(entry('10.1.0.0/16'), 10)).toEqual(['10.1.2.0/24', '10.1.2.3']);
    expect(await store.insideOf(entry('10.0.0.0/8'), 2)).toEqual(['10.1.0.0/16', '10.1.2.0/24']);
  });
});

it('reports a database that another process holds as locked', async () => {
  const other = await folder.open({ busyTimeoutMs: 1 });
  const impatient = new BlockedIpsStore(other);
  const attempt = store.applyGroup([add('192.0.2.1')], NOON, async () => {
    await block(impatient, '192.0.2.2');
  });
  await expect(attempt).rejects.toBeInstanceOf(StoreError);
  await expect(attempt).rejects.toMatchObject({ reason: 'locked' });
});

it('reports a full database as full, and continues when there is space', async () => {
  const pages = await import('kysely').then(({ sql }) => sql`pragma max_page_count = 60`.execute(database.write));
  expect(pages.rows).toHaveLength(1);
  const texts = Array.from({ length: 20_000 }, (_, n) => `10.1.${n >> 8}.${n & 255}`);
  await expect(block(store, ...texts)).rejects.toMatchObject({ name: 'StoreError', reason: 'full' });
  expect(await store.count()).toBe(0);
  await block(store, '192.0.2.1');
  expect(await blockedTexts(store)).toEqual(['192.0.2.1']);
});
