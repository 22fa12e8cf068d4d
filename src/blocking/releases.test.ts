// All claims of a source at once: released after a time, kept, or removed with the source.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caller, entryOf, toBlock } from '../../testkit/blocking.ts';
import { type BulkChanges, openBulkChanges, smallSlice, texts } from '../../testkit/bulk-changes.ts';
import { eventually } from '../../testkit/conditions.ts';
import { codes } from '../errors/catalogue.ts';
import { BulkStore } from '../store/bulk-store.ts';
import { SourcesStore } from '../store/sources-store.ts';
import { DurableCommit } from './write/durable-commit.ts';

const ip = '192.0.2.1';
const other = '192.0.2.2';
const jail = 'fail2ban:sshd';
let changes: BulkChanges;
beforeEach(async () => {
  changes = await openBulkChanges();
});
afterEach(async () => {
  await changes.kit.releases.stop();
  await changes.close();
});

const fail2ban = () => ({ ...caller(), keyName: 'fail2ban', boundTo: 'fail2ban' });
const ban = (text = ip, source = jail) =>
  changes.kit.blockedSet.block(toBlock(text, { expiry: { kind: 'duration', seconds: 3_600 }, source }), fail2ban());
const release = (seconds: number, source = jail) => changes.kit.releases.release(source, seconds, fail2ban());
const keep = (source = jail) => changes.kit.releases.keep(source, fail2ban());
const rejection = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
const done = (operation: string) => changes.kit.lines.filter(({ fields }) => fields?.['operation'] === operation);
const swept = async (times = 1) =>
  await eventually('the claims were dropped', () => done('drop_released').length >= times);

describe('a release', () => {
  it('drops the claims when it is due, and not earlier', async () => {
    await ban();
    await ban(other);
    expect(await release(600)).toMatchObject({ name: jail, claims: 2, release_at: expect.stringMatching(/Z$/) });
    changes.kit.releases.start();
    await changes.time.pass(599_000);
    await changes.everywhere([ip, other]);
    await changes.time.pass(2_000);
    await swept();
    await changes.everywhere([]);
    expect(await changes.kit.releases.get(jail)).toMatchObject({ claims: 0, release_at: null });
  });

  it('leaves what another source claims, blocked and verified', async () => {
    await changes.block(ip);
    await ban();
    await ban(ip, 'fail2ban:http');
    await ban(other);
    await release(0);
    changes.kit.releases.start();
    await swept();
    await changes.everywhere([ip]);
    const { claims } = await changes.kit.blockedSet.get(entryOf(ip));
    expect(claims?.map(({ source }) => source)).toEqual(['manual', 'fail2ban:http']);
    expect(done('drop_released').at(-1)).toMatchObject({ fields: { source: jail, removed: 1 } });
  });

  it('is replaced by a later one', async () => {
    await ban();
    await release(5);
    await release(600);
    changes.kit.releases.start();
    await changes.time.pass(10_000);
    await changes.everywhere([ip]);
  });

  it('that failed is repeated', async () => {
    await ban();
    await release(0);
    const { applySlice } = BulkStore.prototype;
    BulkStore.prototype.applySlice = async () => {
      throw new Error('no room');
    };
    try {
      changes.kit.releases.start();
      await eventually('it failed', () =>
        changes.kit.lines.some(({ message }) => message.startsWith('Released claims')),
      );
    } finally {
      BulkStore.prototype.applySlice = applySlice;
    }
    await changes.everywhere([ip]);
    await changes.time.pass(1_000);
    await swept();
    await changes.everywhere([]);
  });

  it('is audited, and so are its drop and a keep', async () => {
    await ban();
    await release(0);
    changes.kit.releases.start();
    await swept();
    await keep();
    const rows = await changes.kit.database.read
      .selectFrom('audit')
      .select(['operation', 'key_name', 'target'])
      .where('operation', '!=', 'block')
      .execute();
    expect(rows).toEqual([
      { operation: 'release', key_name: 'fail2ban', target: jail },
      { operation: 'drop_released', key_name: null, target: jail },
      { operation: 'keep', key_name: 'fail2ban', target: jail },
    ]);
  });
});

describe('keep', () => {
  it('takes a release back', async () => {
    await ban();
    await release(5);
    expect(await keep()).toEqual({ name: jail, claims: 1, kept: true });
    changes.kit.releases.start();
    await changes.time.pass(10_000);
    await changes.everywhere([ip]);
    expect(await changes.kit.releases.get(jail)).toMatchObject({ release_at: null });
  });

  it('takes back even one that is due, as long as its drop has not begun', async () => {
    await ban();
    await release(5);
    await changes.time.pass(10_000);
    expect(await keep()).toMatchObject({ kept: true });
    changes.kit.releases.start();
    await changes.time.pass(1_000);
    await changes.everywhere([ip]);
  });

  it('reports that the claims were dropped until the agent claims again', async () => {
    await ban();
    await release(0);
    changes.kit.releases.start();
    await swept();
    // A claim that is made before the agent knows, by another request, does not hide it.
    await ban(other);
    // The reply may be lost, so it is repeated.
    expect(await keep()).toEqual({ name: jail, claims: 1, kept: false });
    expect(await keep()).toEqual({ name: jail, claims: 1, kept: false });
    await changes.kit.blockedSet.unblock(entryOf(other), fail2ban(), { source: jail });
    expect(await keep()).toEqual({ name: jail, claims: 0, kept: false });
    await ban();
    expect(await keep()).toEqual({ name: jail, claims: 1, kept: true });
  });

  it('reports a drop that comes between a claim and its end, however many there were', async () => {
    const { time, kit } = changes;
    kit.releases.start();
    const dropped = async () => {
      await release(0);
      await time.pass(1_000);
      await eventually('they were dropped', async () => (await kit.releases.get(jail)).release_at === null);
      expect(await keep()).toMatchObject({ kept: false });
    };
    const { claimsAgain } = SourcesStore.prototype;
    for (let round = 0; round < 2; round++) {
      await ban();
      await dropped();
      const again = vi.spyOn(SourcesStore.prototype, 'claimsAgain');
      again.mockImplementationOnce(async function (this: SourcesStore, ...args) {
        await dropped();
        await claimsAgain.apply(this, args);
      });
      await ban();
      again.mockRestore();
      expect(await keep()).toMatchObject({ claims: 0, kept: false });
      await ban();
      expect(await keep()).toMatchObject({ claims: 1, kept: true });
    }
  });

  it('does not report it once claims of a key that is bound were moved to the source', async () => {
    const { blockedSet, claimMover, releases } = changes.kit;
    await ban();
    await release(0);
    releases.start();
    await swept();
    expect(await claimMover.move('fail2ban', jail)).toBe(0);
    expect(await keep()).toMatchObject({ kept: false });
    await blockedSet.block(toBlock(ip), { ...caller(), keyName: 'fail2ban' });
    expect(await claimMover.move('fail2ban', jail)).toBe(1);
    expect(await keep()).toEqual({ name: jail, claims: 1, kept: true });
  });

  it('still reports it after a block, a batch and a list that could not be stored', async () => {
    await ban();
    await release(0);
    changes.kit.releases.start();
    await swept();
    expect(await keep()).toMatchObject({ kept: false });
    const full = new Error('disk full');
    vi.spyOn(DurableCommit.prototype, 'commit').mockRejectedValue(full);
    vi.spyOn(BulkStore.prototype, 'markReady').mockRejectedValue(full);
    try {
      const add = [{ index: 0, request: toBlock(ip) }];
      const { blockedSet } = changes.kit;
      const list = async function* () {
        yield [{ ok: true, request: toBlock(ip) } as const];
      };
      for (const attempt of [
        () => ban(),
        () => blockedSet.batch({ add, remove: [], rejected: [] }, fail2ban(), { source: jail }),
        () => blockedSet.replaceAll(list(), { source: jail, allowShrink: true }, fail2ban()),
      ])
        expect(await rejection(attempt())).toMatchObject({ code: codes.ChangeFailed });
    } finally {
      vi.restoreAllMocks();
    }
    expect(await keep()).toMatchObject({ kept: false });
    await ban();
    expect(await keep()).toMatchObject({ kept: true });
  });

  it('that is stored does not fail', async () => {
    await ban();
    await release(5);
    const found = vi.spyOn(SourcesStore.prototype, 'find').mockRejectedValue(new Error('cannot read'));
    try {
      expect(await rejection(keep())).toMatchObject({ message: 'cannot read' });
    } finally {
      found.mockRestore();
    }
    expect((await changes.kit.releases.get(jail)).release_at).not.toBeNull();
    expect(done('keep')).toEqual([]);
  });

  it('of a source that was never named keeps nothing, and does not create it', async () => {
    expect(await keep()).toEqual({ name: jail, claims: 0, kept: false });
    expect(await changes.kit.sources.list()).toHaveLength(1);
  });

  it.each(['ready', 'slice'])('at the same time as the drop (%s): what is claimed afterwards stays', async (when) => {
    const all = texts(600);
    await changes.kit.blockedSet.batch(
      { add: all.map((text, index) => ({ index, request: toBlock(text) })), remove: [], rejected: [] },
      fail2ban(),
      { source: jail },
    );
    await release(0);
    const { applySlice, markReady } = BulkStore.prototype;
    let kept: unknown;
    const meanwhile = async () => {
      if (kept !== undefined) return;
      kept = null;
      kept = await keep();
      if ((kept as { kept: boolean }).kept) return;
      await ban(all[0]);
      await ban(all.at(-1));
    };
    BulkStore.prototype.markReady = async function (this: BulkStore, ...args) {
      if (when === 'ready') await meanwhile();
      return markReady.apply(this, args);
    };
    let slices = 0;
    BulkStore.prototype.applySlice = async function (this: BulkStore, ...args) {
      const slice = await smallSlice.apply(this, args);
      slices += 1;
      return slice;
    };
    try {
      changes.kit.releases.start();
      if (when === 'slice') {
        await eventually('the drop is under way', () => slices > 0);
        await meanwhile();
        await swept();
      } else {
        await eventually('it was kept', () => kept !== undefined && kept !== null);
        await changes.time.pass(1_000);
      }
    } finally {
      Object.assign(BulkStore.prototype, { applySlice, markReady });
    }
    if (when === 'ready') {
      expect(kept).toMatchObject({ kept: true });
      await changes.everywhere(all);
    } else {
      expect(kept).toMatchObject({ kept: false });
      const left = await changes.kit.store.scanTexts(null, 1_000);
      expect(left.texts).toEqual(expect.arrayContaining([all[0], all.at(-1)]));
      await changes.everywhere([...left.texts]);
    }
  });
});

describe('whose source', () => {
  it('a bound key may release and keep: its own, with its parts', async () => {
    await ban();
    await ban(ip, 'fail2ban');
    expect(await release(5, 'fail2ban')).toMatchObject({ claims: 1 });
    expect(await keep('fail2ban')).toMatchObject({ kept: true });
    for (const source of ['drop', 'fail2banX'])
      for (const attempt of [release(5, source), keep(source)])
        expect(await rejection(attempt)).toMatchObject({ code: codes.Forbidden });
  });

  it('a bound admin key may not change or remove another one', async () => {
    await changes.kit.releases.put('drop', { note: 'Spamhaus' }, caller());
    await ban();
    for (const attempt of [
      changes.kit.releases.remove('drop', fail2ban()),
      changes.kit.releases.put('drop', { kind: 'agent' }, fail2ban()),
      changes.kit.releases.put('new', { note: 'new' }, fail2ban()),
    ])
      expect(await rejection(attempt)).toMatchObject({ code: codes.Forbidden });
    expect((await changes.kit.sources.list()).map(({ name, kind }) => [name, kind])).toEqual([
      ['manual', 'manual'],
      ['drop', 'list'],
      [jail, 'agent'],
    ]);
    expect(await changes.kit.releases.put(jail, { note: 'ssh' }, fail2ban())).toMatchObject({ created: false });
    expect(await changes.kit.releases.remove(jail, fail2ban())).toMatchObject({ claims_dropped: 1 });
  });

  it('is not manual', async () => {
    const { releases } = changes.kit;
    const attempts = [
      releases.release('manual', 5, caller()),
      releases.keep('manual', caller()),
      releases.remove('manual', caller()),
      releases.put('manual', { kind: 'list' }, caller()),
    ];
    for (const attempt of attempts) expect(await rejection(attempt)).toMatchObject({ code: codes.ManualSource });
    expect(await releases.put('manual', { note: 'us' }, caller())).toMatchObject({
      created: false,
      answer: { kind: 'manual', note: 'us' },
    });
  });

  it('must exist', async () => {
    const { releases } = changes.kit;
    for (const attempt of [release(5), releases.remove(jail, caller()), releases.get(jail)])
      expect(await rejection(attempt)).toMatchObject({ code: codes.NotFound });
  });
});

describe('a source', () => {
  it('gets a kind and a note', async () => {
    const { releases } = changes.kit;
    expect(await releases.put('drop', { note: 'Spamhaus' }, caller())).toMatchObject({
      created: true,
      answer: { name: 'drop', kind: 'list', note: 'Spamhaus', claims: 0 },
    });
    expect(await releases.put('drop', { kind: 'agent' }, caller())).toMatchObject({
      created: false,
      answer: { kind: 'agent', note: 'Spamhaus' },
    });
    await ban(ip, jail);
    await releases.put(jail, { kind: 'list' }, caller());
    expect(await rejection(changes.unblock(ip))).toMatchObject({ code: codes.ClaimedByList });
  });

  it('is removed with its claims, and what another one claims stays', async () => {
    await changes.block(ip);
    await ban();
    await ban(other);
    expect(await changes.kit.releases.remove(jail, caller())).toMatchObject({
      name: jail,
      claims_dropped: 2,
      removed: 1,
      runtime_map_updated: true,
    });
    await changes.everywhere([ip]);
    expect((await changes.kit.sources.list()).map(({ name }) => name)).toEqual(['manual']);
    expect(await keep()).toMatchObject({ kept: false });
    expect(await rejection(changes.kit.releases.remove(jail, caller()))).toMatchObject({ code: codes.NotFound });
  });

  it('that was removed is as if new, and shown with a claim that was being made', async () => {
    await ban();
    const { releases, sources, store } = changes.kit;
    await releases.put(jail, { kind: 'list', note: 'old' }, caller());
    const { id } = await sources.find(jail);
    await releases.remove(jail, caller());
    await store.applyGroup(
      [{ op: 'add', entry: entryOf(ip), expiry: { kind: 'permanent' }, source: id }],
      new Date(),
      () => undefined,
    );
    expect(await releases.get(jail)).toMatchObject({ claims: 1 });
    await ban(other);
    expect(await releases.get(jail)).toMatchObject({ claims: 2, kind: 'agent', note: null });
    // The agent must claim again what was dropped with the source.
    expect(await keep()).toMatchObject({ kept: false });
  });
});
