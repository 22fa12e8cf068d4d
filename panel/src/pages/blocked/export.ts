import { type ApiClient, patient } from '../../api/request.ts';
import { saveFile } from '../../parts/save-file.ts';

/** Saves the whole list, one address a line, as `import` takes it. @throws ApiProblem, ApiUnreachable */
export async function exportList(api: ApiClient): Promise<void> {
  const options = { headers: { ...patient.headers, accept: 'text/plain' }, parseAs: 'blob' } as const;
  const { data } = await api.GET('/api/blocked-ips', options);
  saveFile(data as unknown as Blob, `blocked-${new Date().toISOString().slice(0, 10)}.txt`);
}
