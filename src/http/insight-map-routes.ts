import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { type EntryMap, getEntryMap } from '../api/insight-map.ts';
import { mapAreaOf } from '../blocking/entry-map.ts';
import { codes } from '../errors/catalogue.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import { RequestLimit } from './request-limit.ts';
import type { Services } from './services.ts';

/** Each needs up to 40 MB while it is built. */
const MAX_MAPS = 4;
const MAX_MAPS_PER_KEY = 2;

const compressed = promisify(gzip);

export function insightMapRoutes(app: FastifyInstance, { entryMap }: Services): void {
  const maps = new RequestLimit(MAX_MAPS, MAX_MAPS_PER_KEY);
  handle(app, getEntryMap, async ({ query, request, reply }) => {
    const area = mapAreaOf(query.network);
    if (!area.ok) throw rejectedFields([{ name: 'network', description: area.why }], codes.InvalidAddress);
    const done = maps.begin(request.keyName);
    try {
      return await send(await entryMap.read(query.layer ?? 'density', area.value));
    } finally {
      done();
    }

    async function send(map: EntryMap) {
      const body = JSON.stringify(map);
      // Weak: the same for both encodings.
      const tag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
      reply.headers({ etag: tag, vary: 'Accept-Encoding' });
      if (tagsOf(request.headers['if-none-match']).includes(tag)) return reply.code(304).send();
      if (!acceptsGzip(request.headers['accept-encoding'])) return map;
      reply.header('content-encoding', 'gzip').type('application/json; charset=utf-8');
      return reply.send(await compressed(body));
    }
  });
}

function tagsOf(header: string | undefined): string[] {
  return (header ?? '').split(',').map((tag) => tag.trim());
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return /(^|[,\s])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test([header ?? ''].flat().join());
}
