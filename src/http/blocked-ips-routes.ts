// One blocked address at a time, the list, the check and the sync.
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { codes } from '../errors/catalogue.ts';
import { prefersText } from './accept.ts';
import type { TypedApp } from './app.ts';
import { readBlockRequest } from './block-request.ts';
import { pathAddress } from './path-address.ts';
import { refusedFields } from './refusals.ts';
import { callerOf } from './request-context.ts';
import { RequestLimit } from './request-limit.ts';
import { requireScope } from './route-access.ts';
import {
  BlockAnswerSchema,
  BlockBody,
  BlockedIpDetailSchema,
  BlockedIpPageSchema,
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

export function blockedIpsRoutes(app: TypedApp, { blockedSet }: Services, now: () => Date): void {
  const exports = new RequestLimit(MOST_EXPORTS, MOST_EXPORTS_OF_ONE_KEY);
  const turns = new PageTurns();

  app.post(
    '/api/blocked-ips',
    { schema: { body: BlockBody, response: { 200: BlockAnswerSchema, 201: BlockAnswerSchema } } },
    async (request, reply) => {
      if (request.body.force === true) requireScope(request, 'admin', 'force');
      const reading = readBlockRequest(request.body, now());
      if (!reading.ok)
        throw refusedFields(reading.fields, reading.badAddress ? codes.InvalidAddress : codes.InvalidTime);
      const { created, answer } = await blockedSet.block(reading.request, callerOf(request));
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
      const { limit, cursor = null, q = null, expiring = false } = request.query;
      return blockedSet.list({ limit, cursor, q, expiring });
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

  async function sendTextList(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const name = /[?&](limit|cursor|q|expiring)=/.exec(request.url)?.[1];
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
