// The description of the API: for programs a document, for people a page.
import type { RouteOptions } from 'fastify';
import type { TypedApp } from './app.ts';
import { docsPage, pagePolicy } from './docs-page/page.ts';
import { type DocumentedRoute, openApiDocument } from './openapi/document.ts';
import { describeRoute } from './openapi/operations.ts';
import { accessOf } from './route-access.ts';

/** Told of every route as it is registered; says what the API is when all of them are. */
export class ApiDescription {
  readonly #routes: DocumentedRoute[] = [];
  #texts: { readonly document: string; readonly page: string } | null = null;

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

  /** To be asked when every route is there. Some 30 ms of work, done once. */
  texts(): { readonly document: string; readonly page: string } {
    if (this.#texts === null) {
      const document = openApiDocument(this.#routes);
      this.#texts = { document: JSON.stringify(document), page: docsPage(document) };
    }
    return this.#texts;
  }
}

export function openApiRoutes(app: TypedApp, description: ApiDescription): void {
  // Not when somebody asks: others would wait for it. Not before the service listens: it would come up later.
  app.addHook('onListen', async () => void description.texts());
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(description.texts().document),
  );
  app.get('/docs', async (_request, reply) =>
    reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8').send(description.texts().page),
  );
}
