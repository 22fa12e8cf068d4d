import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, entryOf, toBlock } from '../../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import type { ScriptedMaster } from '../../../testkit/scripted-master.ts';
import { StoreError } from '../../store/store-error.ts';

let master: ScriptedMaster;
let kit: BlockingKit;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ master, kit, close } = await openScriptedBlocking());
  await kit.reconciler.check(true);
});
afterEach(() => close());

const emitted = (type: string) => kit.events.filter((one) => one.type === type).map(({ data }) => data);
const texts = (count: number) => Array.from({ length: count }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
const batch = (add: string[]) =>
  kit.blockedSet.batch(
    { add: add.map((text, index) => ({ index, request: toBlock(text) })), remove: [], rejected: [] },
    caller(),
  );

describe('the event', () => {
  it('of a block and an unblock has author, reason, expiry and verification', async () => {
    await kit.blockedSet.block(toBlock('192.0.2.1', { reason: 'ssh' }), caller());
    await kit.blockedSet.unblock(entryOf('192.0.2.1'), caller());
    expect(emitted('entry.blocked')).toEqual([
      {
        ip_address: '192.0.2.1',
        created: true,
        reason: 'ssh',
        blocked_by: 'test',
        expires_at: null,
        by: 'test',
        runtime_map_updated: true,
      },
    ]);
    expect(emitted('entry.unblocked')).toEqual([{ ip_address: '192.0.2.1', by: 'test', runtime_map_updated: true }]);
  });

  it('of an unblock is complete even if its covering networks can no longer be read', async () => {
    await kit.blockedSet.block(toBlock('192.0.2.1'), caller());
    const asked = vi.spyOn(kit.store, 'coveringOf').mockRejectedValueOnce(new StoreError('io', 'disk gone'));
    await expect(kit.blockedSet.unblock(entryOf('192.0.2.1'), caller())).rejects.toThrow('disk gone');
    asked.mockRestore();
    expect(emitted('entry.unblocked')).toEqual([{ ip_address: '192.0.2.1', by: 'test', runtime_map_updated: true }]);
    expect(kit.lines).toContainEqual(
      expect.objectContaining({ message: 'Operation done', fields: expect.objectContaining({ operation: 'unblock' }) }),
    );
  });

  it('is not emitted for an unblock without an entry', async () => {
    await expect(kit.blockedSet.unblock(entryOf('192.0.2.1'), caller())).rejects.toThrow();
    expect(emitted('entry.unblocked')).toEqual([]);
  });

  it('is emitted for each of up to a hundred entries, and as counts for more', async () => {
    await batch(texts(100));
    expect(emitted('entry.blocked')).toHaveLength(100);
    expect(emitted('entries.changed')).toEqual([]);
    await batch(texts(101));
    await batch(texts(1_001));
    expect(emitted('entry.blocked')).toHaveLength(100);
    expect(emitted('entries.changed')).toMatchObject([
      { operation: 'batch', added: 1, removed: 0, unchanged: 100, by: 'test' },
      { operation: 'batch', added: 900, removed: 0, unchanged: 101, by: 'test' },
    ]);
  });

  it('of drift has the difference and the repairs', async () => {
    await batch(texts(3));
    kit.events.length = 0;
    master.map(kit.mapPath).del('10.0.0.1');
    master.map(kit.mapPath).add('9.9.9.9', '1');
    await kit.reconciler.check(true);
    expect(emitted('drift.seen')).toEqual([{ map: 'blocked', worker: master.current.pid, expected: 3, seen: 3 }]);
    expect(emitted('drift.repaired')).toMatchObject([
      { map: 'blocked', worker: master.current.pid, added: 1, removed: 1, corrected: 0 },
    ]);
  });

  it('of a worker’s start and end is emitted once', async () => {
    const before = master.current.pid;
    expect(emitted('worker.appeared')).toEqual([{ pid: before, role: 'current' }]);
    kit.registry.forget(before);
    kit.registry.forget(before);
    expect(emitted('worker.gone')).toEqual([{ pid: before }]);
  });
});
