import type { SiteRequest } from '../api/sites.ts';
import type { Parsed } from '../domain/parsed.ts';
import { parsePort, parseServerAddress, parseServerOptions, type Site, type SiteServer } from '../domain/site.ts';
import { codes } from '../errors/catalogue.ts';
import type { FieldError } from '../errors/service-error.ts';
import { rejectedFields } from './rejections.ts';
import { pathDomain } from './request-values.ts';

/** Errors: 105, and 106 for its servers. */
export function readSite(domain: string, body: SiteRequest): Site {
  const fields: FieldError[] = [];
  const site = {
    domain: pathDomain(domain),
    servers: body.servers.map((server, index) => readServer(server, index, fields)),
  };
  rejectDuplicates(site.servers, fields);
  if (fields.length > 0) throw rejectedFields(fields, codes.InvalidServer);
  return site;
}

function readServer(server: SiteRequest['servers'][number], index: number, fields: FieldError[]): SiteServer {
  const take = <T>(name: string, given: T, reading: Parsed<T>): T => {
    if (reading.ok) return reading.value;
    fields.push({ name: `servers[${index}].${name}`, description: reading.why });
    return given;
  };
  return {
    address: take('address', server.address, parseServerAddress(server.address)),
    port: take('port', server.port, parsePort(server.port)),
    options: take('options', {}, parseServerOptions(server.options)),
  };
}

/** HAProxy would send a duplicate server twice the requests. */
function rejectDuplicates(servers: readonly SiteServer[], fields: FieldError[]): void {
  const seen = new Set<string>();
  for (const [index, { address, port }] of servers.entries()) {
    const server = `${address} port ${port}`;
    if (seen.has(server))
      fields.push({
        name: `servers[${index}]`,
        description: `duplicates ${server}; remove it. To send a server more requests, set its weight`,
      });
    seen.add(server);
  }
}
