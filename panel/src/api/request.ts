// The typed client of the API (src/client), with the key of this tab in every request. What the page learns from each,
// whoever made it, it tells.
import { type ApiClient, createApiClient } from '../../../src/client/client.ts';

export type { ApiClient } from '../../../src/client/client.ts';

export interface RequestWatcher {
  /** @param date the answer's Date header */
  answered(date: string | null): void;
  unanswered(): void;
  /** The key is not taken any more. */
  keyRefused(): void;
}

/** Answers of a moment come within this; what takes longer (a reload, a big change) says so in its headers. */
const patienceMs = 15_000;
/** Set by `patient`, and never sent. */
const PATIENT = 'x-patient';
/** For calls that may take minutes. */
export const patient = { headers: { [PATIENT]: 'yes' } } as const;

export function createApi(key: () => string | null, watcher: RequestWatcher): ApiClient {
  return createApiClient({
    baseUrl: window.location.origin,
    fetch: async (request) => {
      const headers = new Headers(request.headers);
      const signals = headers.has(PATIENT) ? [request.signal] : [request.signal, AbortSignal.timeout(patienceMs)];
      headers.delete(PATIENT);
      const mine = key();
      if (mine !== null) headers.set('authorization', `Bearer ${mine}`);
      let response: Response;
      try {
        response = await fetch(request, {
          headers,
          signal: AbortSignal.any(signals),
          cache: 'no-store',
          credentials: 'omit',
        });
      } catch (error) {
        // What the page itself gave up says nothing about the service.
        if (!request.signal.aborted) watcher.unanswered();
        throw error;
      }
      // The page of somebody between, such as a 502 or a 401 of his own, is no answer of the service (`client.ts`).
      if (!response.headers.has('x-request-id')) {
        watcher.unanswered();
        return response;
      }
      watcher.answered(response.headers.get('date'));
      // What was asked with another key, before somebody else signed in, says nothing of this one.
      if (response.status === 401 && mine === key()) watcher.keyRefused();
      return response;
    },
  });
}
