// How many entries each view has. Only what the service counts without reading every entry.
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../../../../src/client/client.ts';
import { allBlocked, type BlockedQuery, countBlocked } from '../../../api/blocked-ips.ts';
import { isInsightOff, useNeverMatched } from '../../../api/insight.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useApi } from '../../../session/session.ts';
import { queryOf, readFilter } from '../filters/list-filter.ts';
import { readsAll } from '../list/use-page-cache.ts';
import { searchFor, textSearchFor } from '../search.ts';
import type { View, ViewSearch } from './view-state.ts';

const everyMs = 60_000;
/** All counts together take the service at most this part of the time. */
const mostOfTime = 0.05;

interface Count {
  /** Null: the service does not count such a view. */
  readonly total: number | null;
  readonly tookMs: number;
}

/** Absent: not known. @param enabled once the list has its own rows, and all views are known */
export function useViewCounts(views: readonly View[], enabled: boolean): ReadonlyMap<View, number> {
  const api = useApi();
  const [inTurn] = useState(oneAtATime);
  const queries = new Map(views.map((view) => [view, unordered(view.search)]));
  const byText = new Map([...queries.values()].map((query) => [JSON.stringify(query), query]));
  const counted = [...byText].filter(([, query]) => !readsAll(query));
  const counts = useQueries({
    queries: counted.map(([, query]) => ({
      queryKey: queryKeys.viewCount(query),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        inTurn(signal, async (): Promise<Count> => {
          const began = performance.now();
          const total = await totalOf(() => countBlocked(api, query, signal));
          return { total, tookMs: performance.now() - began };
        }),
      enabled,
      // After a failure that is about the moment, the last figure stays.
      refetchInterval: ({ state }: { readonly state: { readonly data: Count | undefined } }) =>
        pauseMs(state.data, counted.length),
      staleTime: ({ state }: { readonly state: { readonly data: Count | undefined } }) =>
        pauseMs(state.data, counted.length),
    })),
  });
  const totals = new Map(counted.map(([text], at) => [text, counts[at]?.data?.total ?? null]));
  const never = useNeverMatched(enabled && [...byText.values()].some((query) => query.not_hit_for !== ''));
  if (never.data !== undefined && !isInsightOff(never.error)) {
    const { days, count, old_enough: old } = never.data;
    totals.set(JSON.stringify({ ...allBlocked, not_hit_for: `${days}d` }), old === 0 ? null : count);
  }
  return new Map(
    views.flatMap((view) => {
      const total = totals.get(JSON.stringify(queries.get(view))) ?? null;
      return total === null ? [] : [[view, total] as const];
    }),
  );
}

/** Cheap views are counted each minute; an expensive one so rarely that its share of the time stays small. */
export function pauseMs(last: Pick<Count, 'tookMs'> | undefined, views: number): number {
  return Math.max(everyMs, ((last?.tookMs ?? 0) * views) / mostOfTime);
}

/** Null: the service refuses the query itself, such as by denied requests where they are not counted; the list says why. */
async function totalOf(count: () => Promise<number>): Promise<number | null> {
  try {
    return await count();
  } catch (error) {
    if (error instanceof ApiProblem && isAboutQuery(error.status)) return null;
    throw error;
  }
}

/** Others, such as 429 and 503, are about the moment. */
function isAboutQuery(status: number): boolean {
  return status === 400 || status === 404 || status === 409 || status === 422;
}

type InTurn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** One after the other: a list that is being opened meanwhile waits for one of them at most. */
function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (signal, work) => {
    const next = last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    // The caller has its failure; the next one does not depend on it.
    last = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  };
}

function unordered({ q, in: within, ...filter }: ViewSearch): BlockedQuery {
  const interpret = within === 'text' ? textSearchFor : searchFor;
  const query = queryOf(readFilter(filter).filter, interpret(q));
  // The service has the ends of blocks in memory for this order; without it, it reads every temporary block.
  const sort = query.expiring && query.q === '' && query.text === '' ? 'expires_at' : '';
  return { ...query, sort, order: '' };
}
