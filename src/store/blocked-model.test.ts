import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blockedTexts, entry, NOON, nothing, StoreFolder } from '../../testkit/store/store-folder.ts';
import { type BlockedChange, BlockedIpsStore } from './blocked-ips-store.ts';

const TEXTS = ['192.0.2.1', '192.0.2.2', '192.0.2.0/24', '10.0.0.0/8', '2001:db8::1', '2001:db8::/32'];
const TIMES = [13, 14, 15].map((hour) => `2026-11-20T${hour}:00:00.000Z`);

/** The rules of docs/api.md, implemented once more as simply as possible. */
function expected(model: Map<string, string | null>, change: BlockedChange): void {
  const text = change.entry.text;
  const old = model.get(text);
  if (change.op === 'remove') model.delete(text);
  else if (change.op === 'expire') {
    if (typeof old === 'string' && old <= change.now) model.delete(text);
  } else if (change.expiry.kind === 'permanent') model.set(text, null);
  else if (change.expiry.kind === 'at') model.set(text, change.expiry.at);
  else if (change.expiry.kind === 'keep') model.set(text, old === undefined ? null : old);
  else if (old === undefined) model.set(text, change.expiry.until);
  else if (old !== null) model.set(text, [old, change.expiry.until].sort()[1]!);
}

const time = fc.constantFrom(...TIMES);
const expiry = fc.oneof(
  fc.constant({ kind: 'permanent' as const }),
  fc.constant({ kind: 'keep' as const }),
  time.map((at) => ({ kind: 'at' as const, at })),
  time.map((until) => ({ kind: 'later-of' as const, until })),
);
const target = fc.constantFrom(...TEXTS).map(entry);
const change: fc.Arbitrary<BlockedChange> = fc.oneof(
  fc.record({ op: fc.constant('add' as const), entry: target, expiry }),
  fc.record({ op: fc.constant('remove' as const), entry: target }),
  fc.record({ op: fc.constant('expire' as const), entry: target, now: time }),
);
const group = fc.record({ changes: fc.array(change, { maxLength: 8 }), fails: fc.boolean() });

it('the blocked set equals a model map after any groups, some of which fail', async () => {
  const folder = new StoreFolder();
  const store = new BlockedIpsStore(await folder.open());
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(group, { maxLength: 6 }), async (groups) => {
        const left = (await blockedTexts(store)).map((text) => ({ op: 'remove', entry: entry(text) }) as const);
        await store.applyGroup(left, NOON, nothing);
        let model = new Map<string, string | null>();
        for (const { changes, fails } of groups) {
          const next = new Map(model);
          for (const one of changes) expected(next, one);
          const attempt = store.applyGroup(changes, NOON, () => {
            if (fails) throw new Error('no');
          });
          if (fails) {
            await expect(attempt).rejects.toThrow('no');
            continue;
          }
          const { net } = await attempt;
          expect(new Set(net.added)).toEqual(new Set([...next.keys()].filter((text) => !model.has(text))));
          expect(new Set(net.removed)).toEqual(new Set([...model.keys()].filter((text) => !next.has(text))));
          model = next;
        }
        const { items } = await store.page({ limit: 100, now: NOON });
        expect(new Map(items.map((row) => [row.ip_address, row.expires_at]))).toEqual(model);
        expect(await store.count()).toBe(model.size);
      }),
      { numRuns: 60 },
    );
  } finally {
    await folder.remove();
  }
});
