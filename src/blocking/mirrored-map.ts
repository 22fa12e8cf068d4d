// A set with three copies: the database, a map file, and the map of every worker.
import { yieldToLoop } from '../concurrency/pause.ts';
import { type RuntimeMap, RuntimeMapRejection } from '../haproxy/maps/runtime-map.ts';
import type { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import type { Fingerprint } from './compare/fingerprint.ts';

export const mapNames = [
  'blocked',
  'trusted',
  'upstreams',
  'proxy_protocol',
  'https_sites',
  'acme_challenges',
] as const;
export type MapName = (typeof mapNames)[number];

export interface MirroredMap {
  readonly name: MapName;
  readonly runtime: RuntimeMap;
  /** True: the live configuration does not use it, so no worker loads it. */
  readonly unusedByConfiguration?: boolean;
  /** False: a worker of an earlier configuration may not have loaded it. Absent: every worker loads it. */
  readonly inEveryWorker?: boolean;
  /** What every worker should hold now; updated by every committed change. */
  readonly expected: Fingerprint;
  /** Canonical texts of the database. Concurrent changes may or may not be included. */
  scan(): AsyncIterable<readonly string[]>;
  /** Rebuilds `expected` after another process edited the database. */
  reread(): Promise<void>;
  /** Call inside a turn, so that the answer stays true. */
  members(texts: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * A configuration need not use any map but the blocked one, and no reload could load it then. While it holds nothing,
 * nothing is missing. A draining worker keeps the configuration that it was started with.
 */
export function isUnused(map: MirroredMap, error: unknown, role: 'current' | 'draining' | undefined): boolean {
  if (!(error instanceof RuntimeMapRejection && error.mapIsNotLoaded) || map.name === 'blocked') return false;
  if (map.expected.total === 0 || map.unusedByConfiguration === true) return true;
  return role === 'draining' && map.inEveryWorker === false;
}

/** In address order, `size` at a time. */
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
    // Reading and processing a page blocks the event loop.
    await yieldToLoop();
  }
}
