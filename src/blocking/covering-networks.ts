// The blocked networks that keep an address blocked although it has no entry of its own.

import type { BulkAnswer, StillBlocked } from '../api/blocked-ips-bulk.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { type IpEntry, lookupForms } from '../domain/ip.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';

const listedStillBlocked = 100;

type Store = Pick<BlockedIpsStore, 'get' | 'coveringOf' | 'coveredAmong'>;

/** Narrowest first, without itself. */
export async function coveringOf(store: Store, entry: IpEntry): Promise<string[]> {
  const covering: string[] = [];
  for (const form of lookupForms(entry)) {
    if (form.text !== entry.text && (await store.get(form.text)) !== null) covering.push(form.text);
    covering.push(...(await store.coveringOf(form)));
  }
  return covering;
}

/** Of removed entries. `gone`: networks that do not cover them then, in a dry run. */
export async function stillBlocked(
  store: Store,
  entries: readonly IpEntry[],
  gone: ReadonlySet<string> = new Set(),
): Promise<Pick<BulkAnswer, 'still_blocked' | 'still_blocked_total'>> {
  const covered = await store.coveredAmong(entries.flatMap((entry) => lookupForms(entry)));
  const still: StillBlocked[] = [];
  for (const entry of entries) {
    let by = lookupForms(entry)
      .map((form) => covered.get(form.text))
      .find((text) => text !== undefined);
    if (by !== undefined && gone.has(by)) {
      by = (await coveringOf(store, entry)).find((text) => !gone.has(text));
      await yieldToLoop();
    }
    if (by !== undefined) still.push({ ip_address: entry.text, by });
  }
  return { still_blocked: still.slice(0, listedStillBlocked), still_blocked_total: still.length };
}
