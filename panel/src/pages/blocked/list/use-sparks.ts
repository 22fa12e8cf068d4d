// The denied requests of the visible rows by hour, for their small pictures. A row without them shows none: the list
// reports a service that does not answer.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type BlockedQuery, fetchBlockedPage } from '../../../api/blocked-ips.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useApi } from '../../../session/session.ts';
import { readsAll } from './use-page-cache.ts';

/** Milliseconds without scrolling before they are read. */
const pauseMs = 250;
/** A small movement reads nothing new. */
const rowsAtOnce = 20;
/** The current hour changes that slowly. */
const everyMs = 60_000;

type Sparks = ReadonlyMap<string, readonly number[] | null>;
const none: Sparks = new Map();

interface VisibleRows {
  readonly first: number;
  readonly last: number;
  readonly shown: boolean;
}

/** By address. */
export function useSparks(query: BlockedQuery, { first, last, shown }: VisibleRows): Sparks {
  const api = useApi();
  const from = first - (first % rowsAtOnce);
  const [rows] = useDebouncedValue(`${from} ${last + rowsAtOnce - (last % rowsAtOnce)}`, pauseMs);
  const [offset = 0, end = 0] = rows.split(' ').map(Number);
  const { data = none } = useQuery({
    queryKey: queryKeys.blockedSparks(query, offset, end),
    queryFn: async ({ signal }): Promise<Sparks> => {
      const place = { cursor: null, offset, limit: Math.max(1, end - offset), spark: true };
      const { items } = await fetchBlockedPage(api, query, place, signal);
      return new Map(items.map(({ ip_address: ip, hits }) => [ip, hits?.spark ?? null]));
    },
    // What reads every entry is not repeated for pictures: a text search has them in its rows, and entries that never
    // matched have none.
    enabled: shown && !readsAll(query),
    refetchInterval: everyMs,
    staleTime: everyMs,
    placeholderData: keepPreviousData,
  });
  return data;
}
