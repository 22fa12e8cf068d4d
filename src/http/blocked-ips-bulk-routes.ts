import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BlockRequest } from '../api/blocked-entries.ts';
import {
  type BatchQuery,
  changeBlockedAddresses,
  replaceBlockedAddresses,
  UnblockRequest,
} from '../api/blocked-ips-bulk.ts';
import type { BatchOptions } from '../blocking/blocked-set-service.ts';
import { BatchRoom } from './batch-room.ts';
import { readBatch, readCompleteSet } from './body-streams.ts';
import { ElementReader, type Validator } from './bulk-elements.ts';
import { handle } from './handle.ts';
import { isBoundKey, requireScope } from './require-scope.ts';
import type { Services } from './services.ts';

/** @param paceMs the window over which the pace of a body is averaged */
export function blockedIpsBulkRoutes(
  app: FastifyInstance,
  { blockedSet }: Services,
  now: () => Date,
  paceMs: number,
): void {
  const room = new BatchRoom();
  app.register(async (scope: FastifyInstance) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));

    handle(scope, changeBlockedAddresses, async ({ query, caller, request }) => {
      const options = listOptions(request, query);
      const share = room.share(request.keyName);
      try {
        const batch = await readBatch(request, elementReader(request), share, paceMs);
        return await blockedSet.batch(batch, caller, options);
      } finally {
        share.release();
      }
    });
    handle(scope, replaceBlockedAddresses, async ({ query, caller, request }) => {
      if (!isBoundKey(request))
        requireScope(request, 'admin', 'replacing the set, with a key that is not bound to a source,');
      const options = { ...listOptions(request, query), allowShrink: query.allow_shrink === true };
      const items = readCompleteSet(request, elementReader(request), paceMs);
      return await blockedSet.replaceAll(items, options, caller);
    });
  });

  function elementReader(request: FastifyRequest): ElementReader {
    const compile = (schema: object) => request.compileValidationSchema(schema as Record<string, unknown>) as Validator;
    const mayOverride = (what: string) => requireScope(request, 'admin', what);
    return new ElementReader({
      isBlockBody: compile(BlockRequest),
      isUnblockBody: compile(UnblockRequest),
      now: now(),
      mayOverride,
    });
  }

  /** Errors: 403, before the body is read. */
  function listOptions(request: FastifyRequest, query: BatchQuery): BatchOptions {
    const allowWide = query.allow_wide === true;
    if (allowWide) requireScope(request, 'admin', 'allow_wide');
    const { source } = query;
    return { source, ...(allowWide && { allowWide }), ...(query.dry_run === true && { dryRun: true }) };
  }
}
