import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';

/** Events repeat it; polled for notices that no event reports, such as those of another service's start. */
export function useNotices() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.notices,
    queryFn: async ({ signal }) => (await api.GET('/api/notices', { params: { query: { limit: 100 } }, signal })).data,
    refetchInterval: 60_000,
  });
}

/** Marks the notices up to this id as read, in all sessions of the key. */
export function useReadNotices() {
  const api = useApi();
  const invalidate = useInvalidation('notices');
  return useMutation({
    mutationFn: async (upTo: number) => (await api.PUT('/api/notices/read', { body: { up_to: upTo } })).data,
    onSettled: invalidate,
  });
}
