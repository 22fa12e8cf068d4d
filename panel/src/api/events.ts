import { type ApiClient, patient } from './request.ts';

/** The event stream after the event `lastId`; null: from now on. */
export async function openEvents(
  api: ApiClient,
  lastId: string | null,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers = { ...patient.headers, ...(lastId === null ? {} : { 'last-event-id': lastId }) };
  // Not in the document yet.
  const path = '/api/events' as '/openapi.json';
  const { data } = await api.GET(path, { parseAs: 'stream', headers, signal } as never);
  return data as unknown as ReadableStream<Uint8Array>;
}
