import type { FastifyInstance } from 'fastify';
import { getEntryMap } from '../api/insight-map.ts';
import { mapAreaOf } from '../blocking/entry-map.ts';
import { codes } from '../errors/catalogue.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import { RequestLimit } from './request-limit.ts';
import type { Services } from './services.ts';

/** Each needs up to 40 MB while it is built. */
const MAX_MAPS = 4;
const MAX_MAPS_PER_KEY = 2;

export function insightMapRoutes(app: FastifyInstance, { entryMap }: Services): void {
  const maps = new RequestLimit(MAX_MAPS, MAX_MAPS_PER_KEY);
  handle(app, getEntryMap, async ({ query, request }) => {
    const area = mapAreaOf(query.network);
    if (!area.ok) throw rejectedFields([{ name: 'network', description: area.why }], codes.InvalidAddress);
    const done = maps.begin(request.keyName);
    try {
      return await entryMap.read(query.layer ?? 'density', area.value);
    } finally {
      done();
    }
  });
}
