import type { FastifyInstance } from 'fastify';
import { unblockSelected } from '../api/blocked-ips-selected.ts';
import { notHitOf, readEntryFilter } from './entry-filter-request.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import { isBoundKey, requireScope } from './require-scope.ts';
import type { Services } from './services.ts';

export function blockedIpsSelectedRoutes(
  app: FastifyInstance,
  { bulkUnblock, insight }: Services,
  now: () => Date,
): void {
  handle(app, unblockSelected, async ({ query, caller, request }) => {
    if (!isBoundKey(request))
      requireScope(request, 'admin', 'unblocking by a filter, with a key that is not bound to a source,');
    const { source, reason, blocked_by: blockedBy, expect, dry_run: dryRun = false } = query;
    const entries = readEntryFilter(query, now());
    const notHit = await notHitOf(query, insight);
    if ([source, reason, blockedBy, notHit, ...Object.values(entries)].every((one) => one === undefined)) {
      const description =
        'send at least one of source, reason, blocked_by, family, wider_than, blocked_since and not_hit_for';
      throw rejectedFields([{ name: 'source', description }]);
    }
    if (expect === undefined && !dryRun) {
      const description = 'send how many entries you expect to unblock; a request with dry_run=true counts them';
      throw rejectedFields([{ name: 'expect', description }]);
    }
    return await bulkUnblock.unblock(
      { source, reason, blockedBy, entries, notHit, expect: expect ?? null, dryRun },
      caller,
    );
  });
}
