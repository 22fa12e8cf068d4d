// The event stream for the whole panel: one connection, whoever listens. What is shown is asked anew when an event says
// that it is old.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { openEvents } from '../api/events.ts';
import { useApi } from '../session/session.ts';
import { EventLog } from './event-log.ts';
import { EventStream, type StreamState } from './event-stream.ts';
import { outdated } from './outdated.ts';
import type { ServiceEvent } from './service-event.ts';

interface Live {
  readonly stream: EventStream;
  readonly log: EventLog;
}

/** A browser opens six connections to one service; tabs that nobody looks at leave theirs to the others. */
const hiddenForMs = 60_000;
/** What happens at once is asked for once. */
const refreshAfterMs = 150;
/** Between two askings for what events made old: a flood of them is no flood of requests. */
const refreshEveryMs = 1_000;

const LiveContext = createContext<Live | null>(null);

export function LiveEvents({ children }: { readonly children: ReactNode }) {
  const api = useApi();
  const queries = useQueryClient();
  const [live] = useState<Live>(() => {
    const log = new EventLog();
    return {
      log,
      stream: new EventStream({ open: (lastId, signal) => openEvents(api, lastId, signal), hear: log.add }),
    };
  });
  useEffect(() => {
    live.stream.start();
    const stopWatching = whenHidden(
      () => live.stream.stop(),
      () => live.stream.start(),
    );
    const stopRefreshing = refreshOn(live.log, queries);
    return () => {
      stopRefreshing();
      stopWatching();
      live.stream.stop();
    };
  }, [live, queries]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

function useLiveParts(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('a part of the panel stands outside the event stream');
  return live;
}

/** Whether the page hears at once of what happens. */
export function useStreamState(): StreamState {
  const { stream } = useLiveParts();
  return useSyncExternalStore(stream.subscribe, () => stream.state);
}

/** What happened since the panel was opened, the newest first, at most 500. */
export function useEventLog(): readonly ServiceEvent[] {
  const { log } = useLiveParts();
  return useSyncExternalStore(log.subscribe, () => log.events);
}

/** `hear` is called with what is new, the oldest first. */
export function useNewEvents(hear: (events: readonly ServiceEvent[]) => void): void {
  const { log } = useLiveParts();
  const latest = useRef(hear);
  useEffect(() => {
    latest.current = hear;
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
    const keys = outdated(waiting);
    waiting = [];
    // A list that is being fetched is fetched again: what it brings may be from before the event.
    void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => keys === null || keys.has(String(first)) });
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

function whenHidden(leave: () => void, comeBack: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (): void => {
    clearTimeout(timer);
    if (document.visibilityState === 'hidden') timer = setTimeout(leave, hiddenForMs);
    else comeBack();
  };
  document.addEventListener('visibilitychange', onChange);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onChange);
  };
}
