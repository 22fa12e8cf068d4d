import type { FastifyInstance } from 'fastify';
import { unblockSelected } from '../api/blocked-ips-selected.ts';
import { readEntryFilter } from './entry-filter-request.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import { isBoundKey, requireScope } from './require-scope.ts';
import type { Services } from './services.ts';

export function blockedIpsSelectedRoutes(app: FastifyInstance, { bulkUnblock }: Services, now: () => Date): void {
  handle(app, unblockSelected, async ({ query, caller, request }) => {
    if (!isBoundKey(request))
      requireScope(request, 'admin', 'unblocking by a filter, with a key that is not bound to a source,');
    const { source, reason, blocked_by: blockedBy, expect, dry_run: dryRun = false } = query;
    const entries = readEntryFilter(query, now());
    if ([source, reason, blockedBy, ...Object.values(entries)].every((one) => one === undefined)) {
      const description = 'send at least one of source, reason, blocked_by, family, wider_than and blocked_since';
      throw rejectedFields([{ name: 'source', description }]);
    }
    if (expect === undefined && !dryRun) {
      const description = 'send how many entries you expect to unblock; a request with dry_run=true counts them';
      throw rejectedFields([{ name: 'expect', description }]);
    }
    return await bulkUnblock.unblock({ source, reason, blockedBy, entries, expect: expect ?? null, dryRun }, caller);
  });
}
