// The OpenAPI document as the service answers it.
import type { OpenApi } from '../openapi/openapi-types.ts';
import { stubApp } from './stub-services.ts';

export async function apiDocument(): Promise<OpenApi> {
  const { app } = stubApp();
  try {
    return (await app.inject('/openapi.json')).json();
  } finally {
    await app.close();
  }
}
