import type { FastifyInstance } from 'fastify';
import { getDescription, getDocsPage } from '../api/description.ts';
import { operations } from '../api/operations.ts';
import { docsPage, pagePolicy } from './docs-page/page.ts';
import { handle } from './handle.ts';
import { openApiDocument } from './openapi/document.ts';

export function openApiRoutes(app: FastifyInstance): void {
  let texts: { readonly document: string; readonly page: string } | null = null;
  const described = () => {
    if (texts === null) {
      const document = openApiDocument(operations);
      texts = { document: JSON.stringify(document), page: docsPage(document) };
    }
    return texts;
  };
  // After listening, so that neither the start nor a request has to wait 30 ms.
  app.addHook('onListen', async () => void described());
  handle(app, getDescription, async ({ reply }) =>
    reply.type('application/json; charset=utf-8').send(described().document),
  );
  handle(app, getDocsPage, async ({ reply }) =>
    reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8').send(described().page),
  );
}
