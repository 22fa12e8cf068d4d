import { useMutation, useQuery } from '@tanstack/react-query';
import { isProblem, problemCodes } from '../../../src/client/problem-codes.ts';
import { useApi } from '../session/session.ts';
import { usePolling } from './polling.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import type { AcmeCertificate, AcmeRequest, AcmeStatus } from './types.ts';

/** An order takes some seconds, and no event reports its steps. */
const stepMs = 1_000;

type Authority =
  /** Why the service orders nothing, with what to do. */
  { readonly off: string } | { readonly off: null; readonly status: AcmeStatus };

/** @param isUnderWay whether an order is to be followed: it may end before an event arrives */
export function useAuthority(enabled: boolean, isUnderWay: (status: AcmeStatus) => boolean) {
  const api = useApi();
  const polling = usePolling();
  return useQuery<Authority>({
    queryKey: queryKeys.acme,
    enabled,
    refetchInterval: ({ state: { data } }) => (data?.off === null && isUnderWay(data.status) ? stepMs : polling),
    queryFn: async ({ signal }) => {
      try {
        return { off: null, status: (await api.GET('/api/acme', { signal })).data };
      } catch (error) {
        if (!isProblem(error, problemCodes.acmeNotConfigured)) throw error;
        return { off: error.message };
      }
    },
  });
}

/** With its last orders. */
export function useOrders(
  id: string,
  { enabled, underWay }: { readonly enabled: boolean; readonly underWay: boolean },
) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.acmeOrders(id),
    enabled,
    refetchInterval: underWay ? stepMs : false,
    queryFn: async ({ signal }): Promise<AcmeCertificate> =>
      (await api.GET('/api/acme/certificates/{id}', { params: { path: { id } }, signal })).data,
  });
}

export function useOrderCertificate() {
  const api = useApi();
  const refresh = useInvalidation('acme');
  return useMutation({
    mutationFn: async (body: AcmeRequest) => (await api.POST('/api/acme/certificates', { body })).data,
    onSettled: refresh,
  });
}

export function useRenewCertificate() {
  const api = useApi();
  const refresh = useInvalidation('acme');
  return useMutation({
    mutationFn: async (id: string) =>
      (await api.POST('/api/acme/certificates/{id}/renew', { params: { path: { id } } })).data,
    onSettled: refresh,
  });
}

export function useStopRenewal() {
  const api = useApi();
  const refresh = useInvalidation('acme');
  return useMutation({
    mutationFn: async (id: string) =>
      (await api.DELETE('/api/acme/certificates/{id}', { params: { path: { id } } })).data,
    onSettled: refresh,
  });
}
