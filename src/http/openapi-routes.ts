// The description of the API, as a document.
import type { RouteOptions } from 'fastify';
import type { TypedApp } from './app.ts';
import type { Json } from './openapi/components.ts';
import { type DocumentedRoute, openApiDocument } from './openapi/document.ts';
import { describeRoute } from './openapi/operations.ts';
import { accessOf } from './route-access.ts';

/** Told of every route as it is registered; says what the API is when all of them are. */
export class ApiDescription {
  readonly #routes: DocumentedRoute[] = [];
  #document: Json | null = null;

  /** @throws Error for a route that has no description */
  add({ method, url, schema, config }: RouteOptions): void {
    const methods = [method].flat();
    const doc = describeRoute(methods, url);
    if (doc === null) return;
    this.#routes.push({
      method: methods.find((one) => one !== 'HEAD') as string,
      url,
      access: accessOf(methods, url),
      schema: (schema ?? {}) as DocumentedRoute['schema'],
      streamed: config?.streamed === true,
      doc,
    });
  }

  /** To be asked when every route is there. */
  document(): Json {
    this.#document ??= openApiDocument(this.#routes);
    return this.#document;
  }
}

export function openApiRoutes(app: TypedApp, description: ApiDescription): void {
  let text = '';
  // What cannot be described is found at the start, not by the first who asks.
  app.addHook('onReady', async () => {
    text = JSON.stringify(description.document());
  });
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
}
