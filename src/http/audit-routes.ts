import type { FastifyInstance } from 'fastify';
import { listAudit } from '../api/audit.ts';
import { operations } from '../api/operations.ts';
import { parseTime } from '../domain/rfc3339.ts';
import { rejectedRead } from './ended-operations.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import { pathAddress, validTime } from './request-values.ts';
import type { Services } from './services.ts';

/** Of requests, of the service itself, and of the count of further rejections. */
const verbs: readonly string[] = [
  ...new Set(operations.flatMap(({ audit }) => audit ?? [])),
  'expire',
  'expire_trust',
  'drop_released',
  'import_map_file',
  rejectedRead,
  'refusals',
];

export function auditRoutes(app: FastifyInstance, { audit }: Services): void {
  handle(app, listAudit, async ({ query }) => {
    const { limit, cursor = null, operation, key, ip_address: address, since, until } = query;
    // A misspelt verb would find nothing, as if nothing had been done.
    if (operation !== undefined && !verbs.includes(operation))
      throw rejectedFields([{ name: 'operation', description: `must be one of ${verbs.join(', ')}` }]);
    return audit.page({
      limit,
      cursor,
      operation,
      key,
      ipAddress: address === undefined ? undefined : pathAddress(address).text,
      since: readTime('since', since),
      until: readTime('until', until),
    });
  });
}

function readTime(name: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : validTime(name, parseTime(text)).toISOString();
}
