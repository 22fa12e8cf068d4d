import { useStreamState } from '../live/live.tsx';

/** Milliseconds between two askings of what events tell of: often while the page is not live, else for safety alone. */
export function usePolling(): number {
  return useStreamState().kind === 'live' ? 60_000 : 5_000;
}
