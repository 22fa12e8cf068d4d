import { expect } from 'vitest';
import type { BlockAnswer, UnblockAnswer } from '../src/api/blocked-ips.ts';
import type { BulkAnswer } from '../src/api/blocked-ips-bulk.ts';
import type { BulkItem } from '../src/blocking/blocked-set-service.ts';
import { BulkStore } from '../src/store/bulk-store.ts';
import { caller, entryOf, toBlock } from './blocking.ts';
import { openScriptedBlocking, type ScriptedBlocking } from './scripted-blocking.ts';

export interface BulkChanges extends ScriptedBlocking {
  put(source: AsyncIterable<readonly BulkItem[]>, allowShrink?: boolean): Promise<BulkAnswer>;
  block(ip: string): Promise<{ created: boolean; answer: BlockAnswer }>;
  unblock(ip: string): Promise<UnblockAnswer>;
  /** Fails unless running map, file and database hold exactly these. */
  everywhere(wanted: readonly string[]): Promise<void>;
}

export async function openBulkChanges(
  options: { readonly now?: () => Date; readonly maxEntries?: number } = {},
): Promise<BulkChanges> {
  const scripted = await openScriptedBlocking(options);
  const { kit, master } = scripted;
  return {
    ...scripted,
    put: (source, allowShrink = false) => kit.blockedSet.replaceAll(source, { allowShrink }, caller()),
    block: (ip) => kit.blockedSet.block(toBlock(ip), caller()),
    unblock: async (ip) => (await kit.blockedSet.unblock(entryOf(ip), caller())).answer,
    everywhere: async (wanted) => {
      const want = wanted.map((text) => `${text} 1`).sort();
      const running = master.map(kit.mapPath).live();
      expect(running.map(({ key, value }) => `${key} ${value}`).sort()).toEqual(want);
      expect((await kit.fileEntries()).sort()).toEqual(want);
      expect((await kit.store.scanTexts(null, 1_000_000)).texts.map((text) => `${text} 1`).sort()).toEqual(want);
      expect(await kit.store.count()).toBe(want.length);
    },
  };
}

/** @param from the first two octets of each */
export function texts(count: number, from = '10.1'): string[] {
  return Array.from({ length: count }, (_, n) => `${from}.${n >> 8}.${n & 255}`);
}

/** In pieces, as they arrive in a body. */
export async function* pieces(all: readonly string[], size = 700): AsyncIterable<readonly BulkItem[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size).map(line);
}

function line(text: string): BulkItem {
  return { ok: true, request: { entry: entryOf(text), expiry: { kind: 'keep' }, force: false } };
}

const { applySlice } = BulkStore.prototype;

/** Replaces the store's: 2,000 changes take several slices, however fast the machine is. */
export const smallSlice: typeof applySlice = function (this: BulkStore, id, _limit, ...more) {
  return applySlice.call(this, id, 250, ...more);
};
