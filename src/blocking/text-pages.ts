import { yieldToLoop } from '../concurrency/pause.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';

/** Canonical texts of the whole set, in address order, `size` at a time; requests have their share between two pages. */
export async function* textPages(
  store: Pick<BlockedIpsStore, 'scanTexts'>,
  size: number,
): AsyncIterable<readonly string[]> {
  let after: Uint8Array | null = null;
  for (;;) {
    const page: { texts: string[]; last: Uint8Array | null } = await store.scanTexts(after, size);
    if (page.texts.length > 0) yield page.texts;
    if (page.last === null || page.texts.length < size) return;
    after = page.last;
    // A page is nothing but work of this thread, and so is what is done with it while nobody has to be waited for.
    await yieldToLoop();
  }
}
