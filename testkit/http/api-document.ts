// The OpenAPI document as the service answers it.
import { createApp } from '../../src/http/app.ts';
import type { OpenApi } from '../../src/http/openapi/openapi-types.ts';
import type { Services } from '../../src/http/services.ts';

/** No service is asked for it. */
export async function apiDocument(): Promise<OpenApi> {
  // Asked of when the app is closed.
  const events = { stopping: () => undefined };
  const app = createApp({ events } as unknown as Services);
  try {
    return (await app.inject('/openapi.json')).json();
  } finally {
    await app.close();
  }
}
