import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys } from './query-keys.ts';

export function useViews() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.views,
    queryFn: async ({ signal }) => (await api.GET('/api/views', { signal })).data.items,
    staleTime: 60_000,
  });
}
