// How many entries each view has. Only what the service counts without reading every entry.
import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../../../../src/client/client.ts';
import { allBlocked, type BlockedQuery, fetchBlockedPage } from '../../../api/blocked-ips.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import type { ApiClient } from '../../../api/request.ts';
import { useApi } from '../../../session/session.ts';
import { queryOf, readFilter } from '../filters/list-filter.ts';
import { readsAll } from '../list/use-page-cache.ts';
import { searchFor, textSearchFor } from '../search.ts';
import type { View, ViewSearch } from './view-state.ts';

const everyMs = 60_000;

/** By the name of the view; absent: not known. @param enabled once the list has its own rows, and all views are known */
export function useViewCounts(views: readonly View[], enabled: boolean): ReadonlyMap<string, number> {
  const api = useApi();
  const queries = views.map(({ name, search }) => ({ name, query: unordered(search) }));
  const counts = useQuery({
    queryKey: queryKeys.viewCounts(queries),
    queryFn: ({ signal }) => countAll(api, queries, signal),
    enabled,
    refetchInterval: everyMs,
    staleTime: everyMs,
    placeholderData: (before) => before,
  });
  return counts.data ?? new Map();
}

interface NamedQuery {
  readonly name: string;
  readonly query: BlockedQuery;
}

/** One after the other: a list that is being opened meanwhile waits for one of them at most. */
async function countAll(
  api: ApiClient,
  queries: readonly NamedQuery[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const counted = new Map<string, number | null>();
  const found = new Map<string, number>();
  for (const { name, query } of queries) {
    const key = JSON.stringify(query);
    if (!counted.has(key)) counted.set(key, await countOf(api, query, signal));
    const total = counted.get(key) ?? null;
    if (total !== null) found.set(name, total);
  }
  return found;
}

/** Null: not known, or only by reading every entry. */
async function countOf(api: ApiClient, query: BlockedQuery, signal: AbortSignal): Promise<number | null> {
  try {
    if (query.not_hit_for !== '') return await neverMatched(api, query, signal);
    if (readsAll(query)) return null;
    return (await fetchBlockedPage(api, query, { cursor: null, offset: 0, limit: 1 }, signal)).total;
  } catch (error) {
    // Such as of a view by denied requests where they are not counted: the list says why.
    if (error instanceof ApiProblem) return null;
    throw error;
  }
}

/** The service counts them once an hour. */
async function neverMatched(api: ApiClient, query: BlockedQuery, signal: AbortSignal): Promise<number | null> {
  const { data } = await api.GET('/api/insight', { params: { query: { range: '24h' } }, signal });
  const { days, count } = data.never_matched;
  const isThat = JSON.stringify(query) === JSON.stringify({ ...allBlocked, not_hit_for: `${days}d` });
  return isThat ? count : null;
}

function unordered({ q, in: within, ...filter }: ViewSearch): BlockedQuery {
  const interpret = within === 'text' ? textSearchFor : searchFor;
  return { ...queryOf(readFilter(filter).filter, interpret(q)), sort: '', order: '' };
}
