import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { type BlockedQuery, blockedKey, fetchBlockedPage } from '../../../api/blocked-ips.ts';
import type { BlockedIp } from '../../../api/types.ts';
import { useApi } from '../../../session/session.ts';
import { PageBook } from './page-book.ts';

const pageSize = 1_000;
const refreshMs = 3_000;

/** The list that answers `query`, refreshed every few seconds and after each change that is made here. */
export function usePageBook({ q, expiring }: BlockedQuery): PageBook<BlockedIp> {
  const api = useApi();
  const book = useMemo(
    () =>
      new PageBook<BlockedIp>(
        (cursor, limit, signal) => fetchBlockedPage(api, { q, expiring }, cursor, limit, signal),
        pageSize,
      ),
    [api, q, expiring],
  );
  useEffect(() => () => book.close(), [book]);
  useQuery({
    queryKey: [...blockedKey, q, expiring],
    queryFn: async () => {
      await book.refresh();
      return book.state.version;
    },
    refetchInterval: refreshMs,
    gcTime: 0,
    staleTime: 0,
  });
  return book;
}

export function useBookState(book: PageBook<BlockedIp>) {
  return useSyncExternalStore(book.subscribe, () => book.state);
}
