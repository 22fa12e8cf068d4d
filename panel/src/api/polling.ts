import { useStreamState } from '../live/live.tsx';

/** Milliseconds between two polls of data that events cover: rare while events arrive. */
export function usePolling(): number {
  return useStreamState().kind === 'live' ? 60_000 : 5_000;
}
