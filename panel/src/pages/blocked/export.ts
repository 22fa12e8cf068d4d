import { csvRecord } from '../../../../src/lists/csv.ts';
import { type BlockedQuery, fetchBlockedPage } from '../../api/blocked-ips.ts';
import { type ApiClient, patient } from '../../api/request.ts';
import type { BlockedIp } from '../../api/types.ts';
import { saveFile } from '../../parts/save-file.ts';
import { isFiltered } from './filters/list-filter.ts';

export type ExportFormat = 'txt' | 'csv' | 'json';

/** The API's limit. */
const pageSize = 1_000;

/**
 * One line for each entry, with its latest end, which an import makes a claim of `manual`. `proxy-manager export --csv`
 * has a line for each claim.
 */
const header = 'ip_address,reason,expires_at,blocked_by,blocked_at\n';

/**
 * Saves the entries that `query` finds, and nothing if they cannot all be read.
 * @throws ApiProblem, ApiUnreachable
 */
export async function exportList(
  api: ApiClient,
  query: BlockedQuery,
  format: ExportFormat,
  signal: AbortSignal,
): Promise<void> {
  const name = `blocked-${new Date().toISOString().slice(0, 10)}.${format}`;
  const inOrder = query.sort === '' && query.order === '';
  if (!isFiltered(query) && inOrder && format === 'txt') {
    const options = { headers: { ...patient.headers, accept: 'text/plain' }, parseAs: 'blob' } as const;
    const { data } = await api.GET('/api/blocked-ips', options);
    saveFile(data as unknown as Blob, name);
    return;
  }
  const parts: string[] = [];
  for await (const items of pagesOf(api, query, signal)) parts.push(linesOf(items, format));
  saveFile(new Blob(framed(parts, format)), name);
}

async function* pagesOf(
  api: ApiClient,
  query: BlockedQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly BlockedIp[]> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof fetchBlockedPage>> = await fetchBlockedPage(
      api,
      query,
      { cursor, offset: 0, limit: pageSize },
      signal,
    );
    if (page.items.length > 0) yield page.items;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

export function linesOf(items: readonly BlockedIp[], format: ExportFormat): string {
  if (format === 'json') return items.map((item) => JSON.stringify(item)).join(',\n');
  const lines = items.map(({ ip_address: ip, reason, expires_at: ends, blocked_by: by, blocked_at: at }) =>
    // An empty expiry would mean that the block keeps its own.
    format === 'txt' ? ip : csvRecord([ip, reason ?? '', ends ?? 'never', by ?? '', at]),
  );
  return lines.map((line) => `${line}\n`).join('');
}

function framed(parts: readonly string[], format: ExportFormat): string[] {
  if (format === 'csv') return [header, ...parts];
  return format === 'json' ? [`[\n${parts.join(',\n')}\n]\n`] : [...parts];
}
