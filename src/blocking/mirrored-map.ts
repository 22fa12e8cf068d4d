// A set kept in three copies: in the database, in a map file, and in the map of every worker. Comparison and repair are
// the same for the blocked and the trusted set.
import { yieldToLoop } from '../concurrency/pause.ts';
import { type RuntimeMap, RuntimeMapRejection } from '../haproxy/maps/runtime-map.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { Fingerprint } from './compare/fingerprint.ts';

export type MapName = 'blocked' | 'trusted';

export interface MirroredMap {
  readonly name: MapName;
  readonly runtime: RuntimeMap;
  /** True: the live configuration does not use it, so no worker loads it. */
  readonly unusedByConfiguration?: boolean;
  /** What every worker should hold now; updated by every committed change. */
  readonly expected: Fingerprint;
  /** The canonical texts of the database, page by page. Concurrent changes may or may not be included. */
  scan(): AsyncIterable<readonly string[]>;
  /** Rebuilds `expected` from the database, which another process seems to have edited. */
  reread(): Promise<void>;
  /** Which of these texts the database holds. Call inside a turn, so that the answer stays true in it. */
  members(texts: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * The worker's configuration does not use this map, and nothing is missing for it. An attached configuration need not
 * use the trusted map, and no reload could load it then. While nothing is trusted, nothing is missing.
 */
export function isUnused(map: MirroredMap, error: unknown): boolean {
  const mayLack = map.name === 'trusted' && (map.expected.total === 0 || map.unusedByConfiguration === true);
  return mayLack && error instanceof RuntimeMapRejection && error.mapIsNotLoaded;
}

/** Canonical texts of all entries in address order, `size` at a time; other requests run between two pages. */
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
    // Reading a page, and mostly processing it, blocks the event loop.
    await yieldToLoop();
  }
}
