import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { isProblem, problemCodes } from '../../../src/client/problem-codes.ts';
import { useApi } from '../session/session.ts';
import { usePolling } from './polling.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import { type ApiClient, patient } from './request.ts';
import type { Certificate, CertificatePage, CertificateRequest } from './types.ts';

const pageSize = 100;

interface Page extends CertificatePage {
  /** Why HAProxy serves no TLS, with what to do; null: it does. */
  readonly off: string | null;
}

export function useCertificates(q: string) {
  const api = useApi();
  const polling = usePolling();
  return useInfiniteQuery({
    queryKey: queryKeys.certificates({ q }),
    queryFn: ({ pageParam, signal }) => fetchPage(api, q, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: polling,
  });
}

async function fetchPage(api: ApiClient, q: string, cursor: string | null, signal: AbortSignal): Promise<Page> {
  const query = { limit: pageSize, ...(q === '' ? {} : { q }), ...(cursor === null ? {} : { cursor }) };
  try {
    const { data } = await api.GET('/api/certificates', { params: { query }, signal });
    return { ...data, off: null };
  } catch (error) {
    if (!isProblem(error, problemCodes.tlsNotConfigured)) throw error;
    return { items: [], total: 0, next_cursor: null, off: error.message };
  }
}

/** The certificate that HAProxy serves for a site; null: none. Undefined: not known, or HAProxy serves no TLS. */
export function useSiteCertificate(domain: string, visible: boolean): Certificate | null | undefined {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: queryKeys.certificates({ site: domain }),
    queryFn: ({ signal }) => fetchPage(api, domain, null, signal),
    enabled: visible,
    retry: false,
  });
  if (data === undefined || error !== null || data.off !== null) return undefined;
  // More than a page of certificates have this name as a part of theirs.
  const found = data.items.find(({ sites }) => sites.includes(domain));
  return found ?? (data.next_cursor === null ? null : undefined);
}

interface Upload {
  /** The certificate to replace; null: a new one. */
  readonly id: string | null;
  readonly body: CertificateRequest;
  readonly force: boolean;
}

export function useUploadCertificate() {
  const api = useApi();
  const refresh = useInvalidation('certificates');
  return useMutation({
    mutationFn: async ({ id, body, force }: Upload) => {
      if (id === null) return (await api.POST('/api/certificates', { body, ...patient })).data;
      const params = { path: { id }, query: forced(force) };
      return (await api.PUT('/api/certificates/{id}', { params, body, ...patient })).data;
    },
    // The private key is not kept.
    gcTime: 0,
    onSettled: refresh,
  });
}

export function useRemoveCertificate() {
  const api = useApi();
  const refresh = useInvalidation('certificates');
  return useMutation({
    mutationFn: async ({ id, force }: { readonly id: string; readonly force: boolean }) => {
      const params = { path: { id }, query: forced(force) };
      return (await api.DELETE('/api/certificates/{id}', { params, ...patient })).data;
    },
    onSettled: refresh,
  });
}

export function useVerifyCertificate() {
  const api = useApi();
  const refresh = useInvalidation('certificates');
  return useMutation({
    mutationFn: async (id: string) =>
      (await api.POST('/api/certificates/{id}/verify', { params: { path: { id } }, ...patient })).data,
    onSettled: refresh,
  });
}

function forced(force: boolean): { force?: true } {
  return force ? { force: true } : {};
}
