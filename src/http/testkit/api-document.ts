// The OpenAPI document as the service answers it.
import { createApp } from '../app.ts';
import type { OpenApi } from '../openapi/openapi-types.ts';
import type { Services } from '../services.ts';

/** No service is asked for it; that of the events is told of its end. */
export async function apiDocument(): Promise<OpenApi> {
  const app = createApp({ events: { stopping: () => undefined } } as unknown as Services);
  try {
    return (await app.inject('/openapi.json')).json();
  } finally {
    await app.close();
  }
}
