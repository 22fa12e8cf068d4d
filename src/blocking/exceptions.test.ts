// Trust with an end: an exception to the lists that claim an address, until it is blocked again.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caller, entryOf, toBlock } from '../../testkit/blocking.ts';
import { type BulkChanges, openBulkChanges, texts } from '../../testkit/bulk-changes.ts';
import { eventually } from '../../testkit/conditions.ts';
import { codes } from '../errors/catalogue.ts';
import { BulkStore } from '../store/bulk-store.ts';
import { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import type { BlockedSetService, BulkItem } from './blocked-set-service.ts';
import { Sources } from './sources.ts';
import { TrustedSet } from './trusted-set.ts';
import { Admission } from './write/admission.ts';
import { DurableCommit } from './write/durable-commit.ts';

const ip = '192.0.2.1';
const entry = entryOf(ip);
const week = 604_800;
let changes: BulkChanges;
let set: BlockedSetService;
beforeEach(async () => {
  changes = await openBulkChanges();
  set = changes.kit.blockedSet;
  await changes.kit.trusted.updateTrustedIpsMap();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await changes.close();
});

const fail2ban = () => ({ ...caller(), keyName: 'fail2ban', boundTo: 'fail2ban' });
async function* listOf(addresses: readonly string[]): AsyncGenerator<readonly BulkItem[]> {
  yield addresses.map((text) => ({ ok: true, request: toBlock(text, { expiry: { kind: 'keep' } }) }) as const);
}
const put = (source: string, addresses: readonly string[]) =>
  set.replaceAll(listOf(addresses), { allowShrink: true, source }, caller());
const unblockFor = async (seconds = week) => (await set.unblock(entry, caller(), { trustFor: seconds })).answer;
const trust = (text: string, seconds?: number) =>
  changes.kit.trusted.put(
    entryOf(text),
    { expiry: seconds === undefined ? { kind: 'permanent' } : { kind: 'duration', seconds } },
    caller(),
  );
/** Fails unless database, file and running map agree. */
const trustedNow = async (): Promise<string[]> => {
  const rows = (await changes.kit.trusted.list()).map(({ ip_address }) => ip_address);
  const running = changes.master.map(`${changes.kit.mapPath}.trusted`).live();
  const lines = (await readFile(`${changes.kit.mapPath}.trusted`, 'utf8')).split('\n');
  expect(running.map(({ key }) => key).sort()).toEqual(rows.toSorted());
  expect(lines.filter((line) => /^\d/.test(line)).map((line) => line.split(' ')[0])).toEqual(rows);
  return rows;
};
const audited = async () =>
  (await changes.kit.database.read.selectFrom('audit').select(['operation', 'key_name']).orderBy('id').execute()).map(
    ({ operation, key_name }) => `${operation} by ${key_name}`,
  );

describe('an unblock with trust for a time', () => {
  it('says whether it dropped a claim', async () => {
    await put('drop', [ip]);
    expect(await set.unblock(entry, caller(), { trustFor: week })).toMatchObject({ dropped: false });
    await changes.kit.trusted.remove(entry, caller());
    await changes.block(ip);
    expect(await set.unblock(entry, caller(), { trustFor: week })).toMatchObject({ dropped: true });
    await changes.block('192.0.2.2');
    expect(await set.unblock(entryOf('192.0.2.2'), caller())).toMatchObject({ dropped: true });
  });

  it('allows what only a list claims, and keeps its claim', async () => {
    await put('drop', [ip]);
    const answer = await unblockFor();
    expect(answer).toMatchObject({
      still_claimed_by: [{ source: 'drop' }],
      trusted: { ip_address: ip, note: null },
      runtime_map_updated: true,
    });
    expect(Date.parse(answer.trusted!.expires_at!) - Date.parse(answer.trusted!.added_at)).toBe(week * 1_000);
    expect(await trustedNow()).toEqual([ip]);
    await changes.everywhere([ip]);
    expect(await set.check(entry)).toMatchObject({
      verdict: 'trusted',
      by: ip,
      expires_at: answer.trusted!.expires_at,
      enforced: true,
    });
  });

  it('drops what may be dropped, and names the lists', async () => {
    await changes.block(ip);
    await set.block(toBlock(ip), fail2ban());
    await put('drop', [ip]);
    expect(await unblockFor()).toMatchObject({ still_claimed_by: [{ source: 'drop' }], trusted: { ip_address: ip } });
    expect((await set.get(entry)).claims).toMatchObject([{ source: 'drop' }]);
    expect((await audited()).slice(-2)).toEqual(['trust by test', 'unblock by test']);
  });

  it('allows what nothing else claims, too', async () => {
    await changes.block(ip);
    const answer = await unblockFor();
    expect(answer.still_claimed_by).toBeUndefined();
    expect(await trustedNow()).toEqual([ip]);
    await changes.everywhere([]);
  });

  it('keeps permanent trust permanent', async () => {
    await changes.block(ip);
    await trust(ip);
    expect(await unblockFor()).toMatchObject({ trusted: { expires_at: null } });
  });

  it('trusts nothing if the address has no entry of its own', async () => {
    await changes.block('192.0.2.0/24');
    const refused = await unblockFor().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: codes.NotFound, members: { covered_by: ['192.0.2.0/24'] } });
    expect(await trustedNow()).toEqual([]);
  });

  it('trusts nothing if the request names a list', async () => {
    await put('drop', [ip]);
    const refused = set.unblock(entry, caller(), { source: 'drop', trustFor: week });
    await expect(refused).rejects.toMatchObject({ code: codes.ClaimedByList });
    expect(await trustedNow()).toEqual([]);
  });

  it('drops no claim if the trust cannot be stored', async () => {
    await changes.block(ip);
    const file = `${changes.kit.mapPath}.trusted`;
    await rm(file, { force: true });
    await mkdir(file);
    await expect(unblockFor()).rejects.toMatchObject({ code: codes.MapFileUnusable });
    await changes.everywhere([ip]);
    expect(await changes.kit.trusted.list()).toEqual([]);
  });

  it('says that the address is trusted if the claims cannot be dropped', async () => {
    await changes.block(ip);
    vi.spyOn(DurableCommit.prototype, 'commit').mockRejectedValue(new Error('disk full'));
    const failed = await unblockFor().catch((error: unknown) => error);
    expect(failed).toMatchObject({
      detail: expect.stringMatching(/: the address is trusted until \S+, but its claims were not dropped; its log/),
    });
    await changes.everywhere([ip]);
    expect(await trustedNow()).toEqual([ip]);
  });

  it('says that claims were dropped if it fails afterwards, also if a list still blocks the address', async () => {
    await changes.block(ip);
    await put('drop', [ip]);
    vi.spyOn(Sources.prototype, 'named').mockRejectedValueOnce(new Error('cannot read'));
    expect(await unblockFor().catch((error: unknown) => error)).toMatchObject({
      detail: expect.stringMatching(/: the address is trusted until \S+, claims were dropped; its log/),
      members: { committed: { added: 0, updated: 0, removed: 0, still_claimed_total: 1 } },
    });
    expect((await set.get(entry)).claims).toMatchObject([{ source: 'drop' }]);
  });
});

describe('a block of an address with temporary trust', () => {
  it('by an agent ends the trust', async () => {
    await put('drop', [ip]);
    await unblockFor();
    const { answer } = await set.block(toBlock(ip), fail2ban());
    expect(answer).toMatchObject({ trust_ended: [ip], runtime_map_updated: true });
    expect(answer.overridden_by).toBeUndefined();
    expect(await trustedNow()).toEqual([]);
    expect((await audited()).slice(-2)).toEqual(['block by fail2ban', 'distrust by fail2ban']);
    expect(await set.check(entry)).toMatchObject({ verdict: 'blocked', enforced: true });
  });

  it('by the operator ends it too, also among others', async () => {
    await trust(ip, week);
    expect((await changes.block(ip)).answer).toMatchObject({ trust_ended: [ip] });
    await trust(ip, week);
    const add = [ip, '192.0.2.2'].map((text, index) => ({ index, request: toBlock(text) }));
    const answer = await set.batch({ add, remove: [], rejected: [] }, caller());
    expect(answer).toMatchObject({ added: 1, unchanged: 1, rejected_total: 0, trust_ended: [ip] });
    expect(await trustedNow()).toEqual([]);
  });

  it('by a list is refused, alone and among others', async () => {
    await put('drop', ['192.0.2.9']);
    await trust(ip, week);
    const one = set.block(toBlock(ip, { source: 'drop' }), caller());
    await expect(one).rejects.toMatchObject({ code: codes.CoveredByTrust });
    const add = [{ index: 0, request: toBlock(ip) }];
    const many = await set.batch({ add, remove: [], rejected: [] }, caller(), { source: 'drop' });
    expect(many).toMatchObject({ added: 0, rejected: [{ value: ip, code: codes.CoveredByTrust }] });
    expect(many.trust_ended).toBeUndefined();
    await put('drop', [ip]);
    expect(await trustedNow()).toEqual([ip]);
  });

  it('is refused while the trust is permanent, or that of a network', async () => {
    await trust(ip);
    await expect(changes.block(ip)).rejects.toMatchObject({ code: codes.CoveredByTrust });
    await trust('192.0.2.0/24', week);
    await changes.kit.trusted.remove(entry, caller());
    await expect(set.block(toBlock(ip), fail2ban())).rejects.toMatchObject({ code: codes.CoveredByTrust });
    expect(await trustedNow()).toEqual(['192.0.2.0/24']);
    // Ending it alone would not give the block an effect.
    await trust(ip, week);
    await expect(changes.block(ip)).rejects.toMatchObject({ code: codes.CoveredByTrust });
    expect(await trustedNow()).toEqual(['192.0.2.0/24', ip]);
  });

  it('keeps the trust if it is forced, or refused for another reason', async () => {
    await trust(ip, week);
    expect((await set.block(toBlock(ip, { force: true }), caller())).answer).toMatchObject({ overridden_by: [ip] });
    await trust('10.0.0.0/8', week);
    await expect(changes.block('10.0.0.0/8')).rejects.toMatchObject({ code: codes.WideNetwork });
    expect(await trustedNow()).toEqual(['10.0.0.0/8', ip]);
  });

  it('keeps trust that became permanent meanwhile', async () => {
    await trust(ip, week);
    await trust(ip);
    expect(await changes.kit.trusted.endEarly(entry, caller(), async () => true)).toBeNull();
    expect(await trustedNow()).toEqual([ip]);
  });
});

describe('a block and an unblock with trust at the same time', () => {
  const { admitOne } = Admission.prototype;
  const { endEarly, putInTurn } = TrustedSet.prototype;
  const { markReady } = BulkStore.prototype;

  /** Blocks; `meanwhile` runs after the block was admitted. */
  const blockWith = async (meanwhile: () => Promise<unknown>) => {
    vi.spyOn(Admission.prototype, 'admitOne').mockImplementationOnce(async function (this: Admission, ...args) {
      const admitted = await admitOne.apply(this, args);
      await meanwhile();
      return admitted;
    });
    return (await changes.block(ip)).answer;
  };

  it('ends trust that was stored after the block was admitted', async () => {
    await put('drop', [ip]);
    const answer = await blockWith(() => unblockFor());
    expect(answer).toMatchObject({ trust_ended: [ip], runtime_map_updated: true });
    expect(answer.overridden_by).toBeUndefined();
    expect(await trustedNow()).toEqual([]);
    expect(await set.check(entry)).toMatchObject({ verdict: 'blocked', enforced: true });
  });

  it('says so if permanent trust was stored after the block was admitted', async () => {
    expect(await blockWith(() => trust(ip))).toMatchObject({ overridden_by: [ip] });
    expect(await trustedNow()).toEqual([ip]);
  });

  it('keeps trust that came after the block and dropped it', async () => {
    await trust(ip, week);
    vi.spyOn(TrustedSet.prototype, 'endEarly').mockImplementationOnce(async function (this: TrustedSet, ...args) {
      await unblockFor();
      return await endEarly.apply(this, args);
    });
    expect((await changes.block(ip)).answer.trust_ended).toBeUndefined();
    expect(await trustedNow()).toEqual([ip]);
    await changes.everywhere([]);
  });

  describe('keeps trust that came after the block and leaves its claim', () => {
    const ways: Record<string, () => Promise<unknown>> = {
      'of a PUT': () => trust(ip, week),
      'of an unblock of another source': () => set.unblock(entry, caller(), { source: 'fail2ban', trustFor: 2 * week }),
    };
    /** Runs it between the next block and the end of trust. */
    const afterBlock = (work: () => Promise<unknown>) =>
      vi.spyOn(TrustedSet.prototype, 'endEarly').mockImplementationOnce(async function (this: TrustedSet, ...args) {
        await work();
        return await endEarly.apply(this, args);
      });

    it.each(Object.keys(ways))('%s', async (way) => {
      await set.block(toBlock(ip), fail2ban());
      await trust(ip, week);
      afterBlock(ways[way]!);
      const { answer } = await changes.block(ip);
      expect(answer).toMatchObject({ overridden_by: [ip] });
      expect(answer.trust_ended).toBeUndefined();
      expect(await trustedNow()).toEqual([ip]);
      expect((await set.get(entry)).claims ?? [{ source: 'manual' }]).toContainEqual(
        expect.objectContaining({ source: 'manual' }),
      );
      expect((await changes.block(ip)).answer).toMatchObject({ trust_ended: [ip] });
    });

    it.each([1, 1_001])('in a batch of %s', async (count) => {
      await trust(ip, week);
      afterBlock(() => trust(ip, week));
      const add = [ip, ...texts(count - 1)].map((text, index) => ({ index, request: toBlock(text) }));
      expect((await set.batch({ add, remove: [], rejected: [] }, caller())).trust_ended).toBeUndefined();
      expect(await trustedNow()).toEqual([ip]);
    });

    it('but ends trust that was only read again, or whose extension failed', async () => {
      await trust(ip, week);
      afterBlock(async () => {
        await changes.kit.trusted.updateTrustedIpsMap();
        vi.spyOn(TrustedIpsStore.prototype, 'list').mockRejectedValueOnce(new Error('disk failed'));
        await expect(trust(ip, week)).rejects.toMatchObject({ code: codes.ChangeFailed });
      });
      expect((await changes.block(ip)).answer).toMatchObject({ trust_ended: [ip] });
      expect(await trustedNow()).toEqual([]);
    });
  });

  it('drops no block that was made after the trust was stored', async () => {
    await changes.block(ip);
    const blocks: Promise<unknown>[] = [];
    vi.spyOn(TrustedSet.prototype, 'putInTurn').mockImplementationOnce(async function (this: TrustedSet, ...args) {
      const done = await putInTurn.apply(this, args);
      let isDone = false;
      blocks.push(set.block(toBlock(ip), fail2ban()).finally(() => (isDone = true)));
      await eventually('the block is done or waits', () => isDone || changes.kit.writer.queueDepth > 0);
      return done;
    });
    expect(await unblockFor()).toMatchObject({ trusted: { ip_address: ip } });
    expect(await Promise.all(blocks)).toMatchObject([{ answer: { trust_ended: [ip] } }]);
    expect(await trustedNow()).toEqual([]);
    await changes.everywhere([ip]);
  });

  it('does not wait for a large batch, which ends trust that was stored before its turn', async () => {
    await put('drop', [ip]);
    const other = entryOf('192.0.2.2');
    await changes.block(other.text);
    vi.spyOn(BulkStore.prototype, 'markReady').mockImplementationOnce(async function (this: BulkStore, ...args) {
      expect((await set.unblock(other, caller(), { trustFor: week })).answer).toMatchObject({ trusted: {} });
      await unblockFor();
      return await markReady.apply(this, args);
    });
    const add = [ip, ...texts(1_001)].map((text, index) => ({ index, request: toBlock(text) }));
    const answer = await set.batch({ add, remove: [], rejected: [] }, caller());
    expect(answer).toMatchObject({ added: 1_001, updated: 1, trust_ended: [ip] });
    expect(await trustedNow()).toEqual([other.text]);
  });
});
