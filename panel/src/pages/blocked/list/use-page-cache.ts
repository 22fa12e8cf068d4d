import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { type BlockedQuery, fetchBlockedPage } from '../../../api/blocked-ips.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import type { BlockedIp } from '../../../api/types.ts';
import { useApi } from '../../../session/session.ts';
import { type FetchPage, PageCache } from './page-cache.ts';

const pageSize = 500;
/** Rows loaded in advance: a third of a second of fast scrolling. */
const ahead = 250;

/** Whether each page of the list reads every entry in the service, which costs it half a second. */
function readsAll({ text, source }: Pick<BlockedQuery, 'text' | 'source'>): boolean {
  return text !== '' || source !== '';
}

/** Milliseconds between two refreshes of the visible rows. */
export function refreshEvery(query: Pick<BlockedQuery, 'text' | 'source'>): number {
  return readsAll(query) ? 15_000 : 3_000;
}

export function usePageCache({ q, text, expiring, source }: BlockedQuery): PageCache<BlockedIp> {
  const api = useApi();
  const cache = useMemo(() => {
    const query = { q, text, expiring, source };
    const fetch: FetchPage<BlockedIp> = (place, signal) => fetchBlockedPage(api, query, place, signal);
    return new PageCache(fetch, pageSize, readsAll(query) ? 0 : ahead);
  }, [api, q, text, expiring, source]);
  useEffect(() => () => cache.close(), [cache]);
  useQuery({
    queryKey: (readsAll({ text, source }) ? queryKeys.blockedTextSearch : queryKeys.blockedList)({
      q,
      text,
      expiring,
      source,
    }),
    queryFn: async () => {
      await cache.refresh();
      return cache.state.version;
    },
    refetchInterval: refreshEvery({ text, source }),
    gcTime: 0,
    staleTime: 0,
  });
  return cache;
}

export function usePageCacheState(cache: PageCache<BlockedIp>) {
  return useSyncExternalStore(cache.subscribe, () => cache.state);
}
