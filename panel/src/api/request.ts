import { type ApiClient, createApiClient } from '../../../src/client/client.ts';
import { LastAnswers } from './last-answers.ts';

export type { ApiClient } from '../../../src/client/client.ts';

interface RequestWatcher {
  answered(date: string | null): void;
  unanswered(): void;
  keyRefused(): void;
}

/** Deadline of a request that is not marked `patient` (a reload, a bulk change). */
const patienceMs = 15_000;
/** Set by `patient`, removed before sending. */
const PATIENT = 'x-patient';
export const patient = { headers: { [PATIENT]: 'yes' } } as const;

export function createApi(key: () => string | null, watcher: RequestWatcher): ApiClient {
  const answers = new LastAnswers();
  return createApiClient({
    baseUrl: window.location.origin,
    fetch: async (request) => {
      const headers = new Headers(request.headers);
      const signals = headers.has(PATIENT) ? [request.signal] : [request.signal, AbortSignal.timeout(patienceMs)];
      headers.delete(PATIENT);
      const mine = key();
      if (mine !== null) headers.set('authorization', `Bearer ${mine}`);
      const last = answers.of(request, mine);
      if (last !== null) headers.set('if-none-match', last.tag);
      let response: Response;
      try {
        response = await fetch(request, {
          headers,
          signal: AbortSignal.any(signals),
          cache: 'no-store',
          credentials: 'omit',
        });
      } catch (error) {
        // A request that the page aborted says nothing about the service.
        if (!request.signal.aborted) watcher.unanswered();
        throw error;
      }
      // A 502 or 401 of a proxy in between is no answer of the service (`client.ts`).
      if (!response.headers.has('x-request-id')) {
        watcher.unanswered();
        return response;
      }
      watcher.answered(response.headers.get('date'));
      // A request sent with an earlier token says nothing about this one.
      if (response.status === 401 && mine === key()) watcher.keyRefused();
      return await answers.complete(request, response, last);
    },
  });
}
