// Who did what, from where, with what outcome: newest first.
import type { Parsed } from '../domain/parsed.ts';
import { codes } from '../errors/catalogue.ts';
import type { TypedApp } from './app.ts';
import { pathAddress } from './path-address.ts';
import { refusedFields } from './refusals.ts';
import { parseTime } from './rfc3339.ts';
import { AuditPageSchema, AuditQuery } from './schemas/audit.ts';
import type { Services } from './services.ts';

export function auditRoutes(app: TypedApp, { audit }: Services): void {
  app.get(
    '/api/audit',
    { schema: { querystring: AuditQuery, response: { 200: AuditPageSchema } } },
    async (request) => {
      const { limit, cursor = null, operation, key, ip_address: address, since, until } = request.query;
      return audit.page({
        limit,
        cursor,
        operation,
        key,
        ipAddress: address === undefined ? undefined : pathAddress(address).text,
        since: readTime('since', since),
        until: readTime('until', until),
      });
    },
  );
}

function readTime(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time: Parsed<Date> = parseTime(text);
  if (!time.ok) throw refusedFields([{ name, description: time.why }], codes.InvalidTime);
  return time.value.toISOString();
}
