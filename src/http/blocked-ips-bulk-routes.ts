// A large batch, and the whole set. Their bodies are read as they come.
import type { FastifyRequest } from 'fastify';
import type { BatchOptions } from '../blocking/blocked-set-service.ts';
import type { TypedApp } from './app.ts';
import { BatchRoom } from './batch-room.ts';
import { readBatch, readWholeSet } from './body-streams.ts';
import { ElementReader, type Validator } from './bulk-elements.ts';
import { callerOf } from './request-context.ts';
import { requireScope } from './route-access.ts';
import { BatchQuery, BlockBody, BulkAnswerSchema, ReplaceQuery, UnblockBody } from './schemas/blocked-ips.ts';
import type { Services } from './services.ts';

const config = { streamed: true };

/** @param paceMs over how long the pace of a body is averaged */
export function blockedIpsBulkRoutes(app: TypedApp, { blockedSet }: Services, now: () => Date, paceMs: number): void {
  const room = new BatchRoom();
  // A scope of its own: here the body stays a stream.
  app.register(async (scope: TypedApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));

    scope.post(
      '/api/blocked-ips/batch',
      { config, schema: { querystring: BatchQuery, response: { 200: BulkAnswerSchema } } },
      async (request) => {
        const options = listOptions(request, request.query);
        const share = room.share(request.keyName);
        try {
          const batch = await readBatch(request, elementReader(request), share, paceMs);
          return await blockedSet.batch(batch, callerOf(request), options);
        } finally {
          share.release();
        }
      },
    );

    scope.put(
      '/api/blocked-ips',
      { config, schema: { querystring: ReplaceQuery, response: { 200: BulkAnswerSchema } } },
      async (request) => {
        const options = {
          ...listOptions(request, request.query),
          allowShrink: request.query.allow_shrink === true,
        };
        const items = readWholeSet(request, elementReader(request), paceMs);
        return blockedSet.replaceAll(items, options, callerOf(request));
      },
    );
  });

  function elementReader(request: FastifyRequest): ElementReader {
    const compile = (schema: object) => request.compileValidationSchema(schema as Record<string, unknown>) as Validator;
    const mayOverride = (what: string) => requireScope(request, 'admin', what);
    return new ElementReader(compile(BlockBody), compile(UnblockBody), now(), mayOverride);
  }

  /** @throws ServiceError 403 before anything of the body is read */
  function listOptions(request: FastifyRequest, query: BatchQuery): BatchOptions {
    const allowWide = query.allow_wide === true;
    if (allowWide) requireScope(request, 'admin', 'allow_wide');
    return { ...(allowWide && { allowWide }), ...(query.dry_run === true && { dryRun: true }) };
  }
}
