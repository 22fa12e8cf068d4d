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

/** Milliseconds between two refreshes of the visible rows. A text search costs the service half a second. */
export function refreshEvery({ text }: Pick<BlockedQuery, 'text'>): number {
  return text === '' ? 3_000 : 15_000;
}

export function usePageCache({ q, text, expiring }: BlockedQuery): PageCache<BlockedIp> {
  const api = useApi();
  const cache = useMemo(() => {
    const fetch: FetchPage<BlockedIp> = (place, signal) => fetchBlockedPage(api, { q, text, expiring }, place, signal);
    // Each page of a text search reads every entry, so none is loaded in advance.
    return new PageCache(fetch, pageSize, text === '' ? ahead : 0);
  }, [api, q, text, expiring]);
  useEffect(() => () => cache.close(), [cache]);
  useQuery({
    queryKey: (text === '' ? queryKeys.blockedList : queryKeys.blockedTextSearch)({ q, text, expiring }),
    queryFn: async () => {
      await cache.refresh();
      return cache.state.version;
    },
    refetchInterval: refreshEvery({ text }),
    gcTime: 0,
    staleTime: 0,
  });
  return cache;
}

export function usePageCacheState(cache: PageCache<BlockedIp>) {
  return useSyncExternalStore(cache.subscribe, () => cache.state);
}
