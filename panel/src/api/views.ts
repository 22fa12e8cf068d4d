import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import type { ApiClient } from './request.ts';

export function useViews() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.views,
    queryFn: async ({ signal }) => (await api.GET('/api/views', { signal })).data.items,
    staleTime: 60_000,
  });
}

export function useViewChange<Input, Answer>(change: (api: ApiClient, input: Input) => Promise<Answer>) {
  const api = useApi();
  const invalidate = useInvalidation('views');
  return useMutation({ mutationFn: (input: Input) => change(api, input), onSettled: () => invalidate() });
}

/** Of the list of blocked addresses. @param query its search string, without the question mark */
export async function saveView(api: ApiClient, { name, query }: { readonly name: string; readonly query: string }) {
  const params = { path: { name } };
  return (await api.PUT('/api/views/{name}', { params, body: { page: '/blocked', query } })).data;
}

export async function removeView(api: ApiClient, { name }: { readonly name: string }) {
  return (await api.DELETE('/api/views/{name}', { params: { path: { name } } })).data;
}
