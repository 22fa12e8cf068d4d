import { createApp } from '../../src/http/app.ts';
import type { OpenApi } from '../../src/http/openapi/openapi-types.ts';
import type { Services } from '../../src/http/services.ts';

export async function apiDocument(): Promise<OpenApi> {
  const events = { stopping: () => undefined };
  const app = createApp({ events } as unknown as Services);
  try {
    return (await app.inject('/openapi.json')).json();
  } finally {
    await app.close();
  }
}
