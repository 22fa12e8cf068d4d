import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { openEvents } from '../api/events.ts';
import { invalidate } from '../api/query-keys.ts';
import { useApi } from '../session/session.ts';
import { EventLog } from './event-log.ts';
import { EventStream, type StreamState } from './event-stream.ts';
import type { ServiceEvent } from './service-event.ts';
import { staleSubjects } from './stale-subjects.ts';

interface Live {
  readonly stream: EventStream;
  readonly log: EventLog;
}

/** A browser opens at most six connections to one service, so a hidden tab closes its stream; milliseconds. */
const hiddenForMs = 60_000;
/** Events that arrive together cause one refresh; milliseconds. */
const refreshAfterMs = 150;
/** Between two refreshes: a burst of events does not become a burst of requests; milliseconds. */
const refreshEveryMs = 1_000;

const LiveContext = createContext<Live | null>(null);

export function LiveEvents({ children }: { readonly children: ReactNode }) {
  const api = useApi();
  const queries = useQueryClient();
  const [live] = useState<Live>(() => {
    const log = new EventLog();
    return {
      log,
      stream: new EventStream({ open: (lastId, signal) => openEvents(api, lastId, signal), onEvent: log.add }),
    };
  });
  useEffect(() => {
    live.stream.start();
    const stopWatching = whenHidden(
      () => live.stream.stop(),
      () => live.stream.start(),
    );
    const stopRefreshing = refreshOn(live.log, queries);
    const stopAsking = askOnLoss(live.stream, queries);
    return () => {
      stopAsking();
      stopRefreshing();
      stopWatching();
      live.stream.stop();
    };
  }, [live, queries]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

function useLiveParts(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('this component needs LiveEvents around it');
  return live;
}

export function useStreamState(): StreamState {
  const { stream } = useLiveParts();
  return useSyncExternalStore(stream.subscribe, () => stream.state);
}

export function useEventLog(): readonly ServiceEvent[] {
  const { log } = useLiveParts();
  return useSyncExternalStore(log.subscribe, () => log.events);
}

export function useNewEvents(onBatch: (events: readonly ServiceEvent[]) => void): void {
  const { log } = useLiveParts();
  const latest = useRef(onBatch);
  useEffect(() => {
    latest.current = onBatch;
  });
  useEffect(() => log.onNew((events) => latest.current(events)), [log]);
}

function refreshOn(log: EventLog, queries: QueryClient): () => void {
  let waiting: ServiceEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  let last = Number.NEGATIVE_INFINITY;
  const refresh = (): void => {
    timer = null;
    last = performance.now();
    const stale = staleSubjects(waiting);
    waiting = [];
    // A running fetch is repeated too: its response may be from before the event.
    void invalidate(queries, stale);
  };
  const stop = log.onNew((events) => {
    waiting.push(...events);
    timer ??= setTimeout(refresh, Math.max(refreshAfterMs, last + refreshEveryMs - performance.now()));
  });
  return () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}

/** Whether the service has ended is then known at once. */
function askOnLoss(stream: EventStream, queries: QueryClient): () => void {
  let before = stream.state.kind;
  return stream.subscribe(() => {
    const { kind } = stream.state;
    if (kind === 'lost' && before === 'live') void invalidate(queries, new Set(['health']));
    before = kind;
  });
}

function whenHidden(onHidden: () => void, onShown: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (): void => {
    clearTimeout(timer);
    if (document.visibilityState === 'hidden') timer = setTimeout(onHidden, hiddenForMs);
    else onShown();
  };
  document.addEventListener('visibilitychange', onChange);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onChange);
  };
}
