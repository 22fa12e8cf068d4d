import { type ApiClient, patient } from '../../api/request.ts';

/** Saves the whole list, one address a line, as `import` takes it. @throws ApiProblem, ApiUnreachable */
export async function exportList(api: ApiClient): Promise<void> {
  const options = { headers: { ...patient.headers, accept: 'text/plain' }, parseAs: 'blob' } as const;
  const { data } = await api.GET('/api/blocked-ips', options);
  const url = URL.createObjectURL(data as unknown as Blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = `blocked-${new Date().toISOString().slice(0, 10)}.txt`;
  link.click();
  URL.revokeObjectURL(url);
}
