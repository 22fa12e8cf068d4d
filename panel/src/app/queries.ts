import { QueryClient } from '@tanstack/react-query';

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A failure is shown at once; polling repeats the request anyway.
      queries: { retry: false, networkMode: 'always', refetchOnWindowFocus: true, staleTime: 1_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
