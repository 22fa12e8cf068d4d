import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { type BlockedQuery, fetchBlockedPage } from '../../../api/blocked-ips.ts';
import { usePolling } from '../../../api/polling.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import type { ListedIp } from '../../../api/types.ts';
import { useApi } from '../../../session/session.ts';
import { type FetchPage, PageCache } from './page-cache.ts';

const pageSize = 500;
/** Rows loaded in advance: a third of a second of fast scrolling. */
const ahead = 250;

/** Whether each page of the list reads every entry in the service, which costs it half a second. */
export function readsAll({ text, not_hit_for: notHit }: BlockedQuery): boolean {
  return text !== '' || notHit !== '';
}

/** Milliseconds between two refreshes of the visible rows, some 150 kB each. Events report changes of the set. */
export function useRefreshEvery(query: BlockedQuery): number {
  const polling = usePolling();
  if (readsAll(query)) return 15_000;
  // No event reports hits.
  const byHits = query.sort === 'hits' || query.sort === 'last_hit' || query.hit_within !== '';
  return byHits ? Math.min(polling, 30_000) : polling;
}

/** @param query compared by its content */
export function usePageCache(query: BlockedQuery): PageCache<ListedIp> {
  const api = useApi();
  const refreshEvery = useRefreshEvery(query);
  const content = JSON.stringify(query);
  const cache = useMemo(() => {
    const asked = JSON.parse(content) as BlockedQuery;
    // Another request for the pictures of the visible rows would read every entry again.
    const spark = asked.text !== '';
    const fetch: FetchPage<ListedIp> = (place, signal) => fetchBlockedPage(api, asked, { ...place, spark }, signal);
    return new PageCache(fetch, pageSize, readsAll(asked) ? 0 : ahead);
  }, [api, content]);
  useEffect(() => () => cache.close(), [cache]);
  useQuery({
    queryKey: (readsAll(query) ? queryKeys.blockedTextSearch : queryKeys.blockedList)(query),
    queryFn: async () => {
      await cache.refresh();
      return cache.state.version;
    },
    refetchInterval: refreshEvery,
    gcTime: 0,
    staleTime: 0,
  });
  return cache;
}

export function usePageCacheState(cache: PageCache<ListedIp>) {
  return useSyncExternalStore(cache.subscribe, () => cache.state);
}
