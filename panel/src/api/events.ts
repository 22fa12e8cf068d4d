import { type ApiClient, patient } from './request.ts';

/** The event stream, from the event after `lastId`; null: from now on. */
export async function openEvents(
  api: ApiClient,
  lastId: string | null,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers = { ...patient.headers, ...(lastId === null ? {} : { 'last-event-id': lastId }) };
  return (await api.GET('/api/events', { parseAs: 'stream', headers, signal })).data;
}
