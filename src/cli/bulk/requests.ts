import type { BlockRequest } from '../../api/blocked-entries.ts';
import type { BatchQuery } from '../../api/blocked-ips-bulk.ts';
import type { components } from '../../client/client.ts';
import type { Session } from '../session.ts';

/** A body that is generated while it is sent. */
export interface StreamedList {
  readonly contentType: 'text/plain' | 'application/json';
  readonly chunks: AsyncIterable<string>;
}

/** @throws ApiProblem, ApiUnreachable */
export async function changeMany(
  { patientApi }: Session,
  body: { readonly add?: readonly (string | BlockRequest)[]; readonly remove?: readonly string[] },
  query: BatchQuery = {},
) {
  const { data } = await patientApi.POST('/api/blocked-ips/batch', {
    params: { query },
    body: body as components['schemas']['BatchRequest'],
  });
  return data;
}

/** @throws ApiProblem, ApiUnreachable, and what `chunks` throws */
export async function replaceAll(
  { patientApi }: Session,
  { contentType, chunks }: StreamedList,
  query: BatchQuery & { allow_shrink?: boolean },
) {
  const source = new FailingSource(chunks);
  try {
    const { data } = await patientApi.PUT('/api/blocked-ips', {
      params: { query },
      headers: { 'content-type': contentType },
      // The API declares a string; the client also sends a stream.
      body: source.bytes() as unknown as string,
    });
    return data;
  } catch (error) {
    // Reading the list failed, which ended the connection.
    throw source.failure ?? error;
  }
}

/** Keeps the error of its source: the connection only reports that it ended. */
class FailingSource {
  readonly #chunks: AsyncIterable<string>;
  failure: unknown = null;

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    try {
      for await (const chunk of this.#chunks) yield encoder.encode(chunk);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}
