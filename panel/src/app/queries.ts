import { QueryClient } from '@tanstack/react-query';

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A failure is shown at once, with its reason; what is polled is asked again anyway.
      queries: { retry: false, networkMode: 'always', refetchOnWindowFocus: true, staleTime: 1_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
