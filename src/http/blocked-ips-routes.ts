// One blocked address at a time, the list, the check and the sync.
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlockedIpPage } from '../blocking/answers.ts';
import { codes } from '../errors/catalogue.ts';
import { prefersText } from './accept.ts';
import type { TypedApp } from './app.ts';
import { readBlockRequest } from './block-request.ts';
import { pathAddress } from './path-address.ts';
import { clientGone, refusedFields } from './refusals.ts';
import { callerOf } from './request-context.ts';
import { RequestLimit } from './request-limit.ts';
import { requireScope } from './route-access.ts';
import {
  BlockAnswerSchema,
  BlockBody,
  BlockedIpDetailSchema,
  BlockedIpPageSchema,
  BlockQuery,
  CheckAnswerSchema,
  ListQuery,
  SyncAnswerSchema,
  SyncQuery,
  UnblockAnswerSchema,
} from './schemas/blocked-ips.ts';
import { pathParameter } from './schemas/common.ts';
import type { Services } from './services.ts';
import { PageTurns, textListStream } from './text-list-reply.ts';

const params = pathParameter('ip_address');
/** Each holds a page of the list for as long as its client takes to read it. */
const MOST_EXPORTS = 256;
/** Who never reads to the end keeps his places, and nobody else's. */
const MOST_EXPORTS_OF_ONE_KEY = 192;
/** Each goes through the whole table, and they take turns: more would only make each other wait. */
const MOST_TEXT_SEARCHES = 8;
const MOST_TEXT_SEARCHES_OF_ONE_KEY = 4;

export function blockedIpsRoutes(app: TypedApp, { blockedSet }: Services, now: () => Date): void {
  const exports = new RequestLimit(MOST_EXPORTS, MOST_EXPORTS_OF_ONE_KEY);
  const turns = new PageTurns();
  const textSearches = new RequestLimit(MOST_TEXT_SEARCHES, MOST_TEXT_SEARCHES_OF_ONE_KEY);

  app.post(
    '/api/blocked-ips',
    {
      schema: {
        querystring: BlockQuery,
        body: BlockBody,
        response: { 200: BlockAnswerSchema, 201: BlockAnswerSchema },
      },
    },
    async (request, reply) => {
      const allowWide = request.body.allow_wide === true || request.query.allow_wide === true;
      if (request.body.force === true) requireScope(request, 'admin', 'force');
      if (allowWide) requireScope(request, 'admin', 'allow_wide');
      const reading = readBlockRequest(request.body, now());
      if (!reading.ok)
        throw refusedFields(reading.fields, reading.badAddress ? codes.InvalidAddress : codes.InvalidTime);
      const { created, answer } = await blockedSet.block(
        { ...reading.request, ...(allowWide && { allowWide }) },
        callerOf(request),
      );
      return reply.code(created ? 201 : 200).send(answer);
    },
  );

  app.delete(
    '/api/blocked-ips/:ip_address',
    { schema: { params, response: { 200: UnblockAnswerSchema } } },
    async (request) => blockedSet.unblock(pathAddress(request.params.ip_address), callerOf(request)),
  );

  app.get(
    '/api/blocked-ips/:ip_address',
    { schema: { params, response: { 200: BlockedIpDetailSchema } } },
    async (request) => blockedSet.get(pathAddress(request.params.ip_address)),
  );

  app.get('/api/check/:ip_address', { schema: { params, response: { 200: CheckAnswerSchema } } }, async (request) =>
    blockedSet.check(pathAddress(request.params.ip_address)),
  );

  app.get(
    '/api/blocked-ips',
    { schema: { querystring: ListQuery, response: { 200: BlockedIpPageSchema } } },
    async (request, reply) => {
      reply.header('vary', 'Accept');
      if (prefersText(request.headers.accept)) return sendTextList(request, reply);
      return list(request.query, request.keyName, reply);
    },
  );

  app.post(
    '/api/blocked-ips/sync',
    { schema: { querystring: SyncQuery, response: { 200: SyncAnswerSchema, 207: SyncAnswerSchema } } },
    async (request, reply) => {
      const options = { acceptMapFile: request.query.accept_map_file === true };
      if (options.acceptMapFile) requireScope(request, 'admin', 'accept_map_file');
      const answer = await blockedSet.sync(callerOf(request), options);
      return reply.code(answer.runtime_map_synced ? 200 : 207).send(answer);
    },
  );

  async function list(query: ListQuery, keyName: string, reply: FastifyReply): Promise<BlockedIpPage> {
    const { limit, cursor, offset = 0, q, text, expiring = false } = query;
    if (q !== undefined && text !== undefined) {
      const description = 'q looks for addresses, text in reasons and sources; give one of them';
      throw refusedFields([{ name: 'text', description }]);
    }
    const done = text === undefined ? null : textSearches.begin(keyName);
    try {
      const wanted = { limit, cursor: cursor ?? null, offset, q: q ?? null, text: text ?? null, expiring };
      return await blockedSet.list({ ...wanted, signal: untilGone(reply) });
    } finally {
      done?.();
    }
  }

  async function sendTextList(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const name = /[?&](limit|cursor|offset|q|text|expiring)=/.exec(request.url)?.[1];
    if (name !== undefined) {
      throw refusedFields([{ name, description: 'the text list is always whole; leave it out, or ask for JSON' }]);
    }
    const done = exports.begin(request.keyName);
    // Also of a client that went away while its key was judged: it has been closed already, and is never closed again.
    finished(reply.raw, done);
    reply.type('text/plain; charset=utf-8');
    return reply.send(request.method === 'HEAD' ? '' : textListStream(blockedSet.listTexts(), turns));
  }
}

/** Aborted when the client goes away before it has its answer. */
function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  finished(reply.raw, () => gone.abort(clientGone()));
  return gone.signal;
}
