import { finished, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BlockedIpPage, ListQuery } from '../api/blocked-entries.ts';
import { blockAddress, getBlockedAddress, listBlockedAddresses, unblockAddress } from '../api/blocked-ips.ts';
import { syncBlockedAddresses } from '../api/blocked-ips-bulk.ts';
import { checkAddress } from '../api/check.ts';
import type { BlockedListQuery } from '../blocking/blocked-set-service.ts';
import { SliceQueue } from '../concurrency/slices.ts';
import { codes } from '../errors/catalogue.ts';
import { isPreferred } from '../errors/negotiate.ts';
import { untilGone } from './client-gone.ts';
import { hitFilterOf, notHitOf, readEntryFilter } from './entry-filter-request.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import { RequestLimit } from './request-limit.ts';
import { pathAddress, readBlockRequest, validDuration } from './request-values.ts';
import { requireScope } from './require-scope.ts';
import type { Services } from './services.ts';

/** Each holds a page of the list in memory while its client reads. */
const MAX_EXPORTS = 256;
/** A client that stalls uses up only its own key's quota. */
const MAX_EXPORTS_PER_KEY = 192;
/** Each reads the complete table, or the columns of all entries, alternating with the others. */
const MAX_SEARCHES = 8;
const MAX_SEARCHES_PER_KEY = 4;

export function blockedIpsRoutes(app: FastifyInstance, { blockedSet, insight }: Services, now: () => Date): void {
  const exports = new RequestLimit(MAX_EXPORTS, MAX_EXPORTS_PER_KEY);
  // A page takes some 10 ms of the database: thirty lists at once must not delay a block by thirty pages.
  const slices = new SliceQueue();
  const searches = new RequestLimit(MAX_SEARCHES, MAX_SEARCHES_PER_KEY);

  handle(app, blockAddress, async ({ body, query, caller, request, answerWith, counted }) => {
    const allowWide = body.allow_wide === true || query.allow_wide === true;
    if (body.force === true) requireScope(request, 'admin', 'force');
    if (allowWide) requireScope(request, 'admin', 'allow_wide');
    const reading = readBlockRequest(body, now());
    if (!reading.ok)
      throw rejectedFields(reading.fields, reading.badAddress ? codes.InvalidAddress : codes.InvalidTime);
    const { source } = query;
    const wanted = { ...reading.request, ...(allowWide && { allowWide }), ...(source !== undefined && { source }) };
    const { created, changed, answer } = await blockedSet.block(wanted, caller);
    answerWith(created ? 201 : 200);
    counted(created ? { added: 1 } : changed ? { updated: 1 } : { unchanged: 1 });
    return answer;
  });
  handle(app, unblockAddress, async ({ params, query, caller, request, counted }) => {
    const { source, trust_for: trustFor } = query;
    const entry = pathAddress(params.ip_address);
    if (trustFor !== undefined) requireScope(request, 'admin', 'trust_for');
    const how = { source, ...(trustFor !== undefined && { trustFor: validDuration('trust_for', trustFor) }) };
    const { dropped, answer } = await blockedSet.unblock(entry, caller, how);
    const removed = answer.still_claimed_by === undefined;
    counted(dropped ? (removed ? { removed: 1 } : { updated: 1 }) : { unchanged: 1 });
    return answer;
  });
  handle(app, getBlockedAddress, async ({ params }) => {
    const found = await blockedSet.get(pathAddress(params.ip_address));
    const [hits = null] = await insight.hitsOf([found], true);
    return { ...found, hits };
  });
  handle(app, checkAddress, ({ params }) => blockedSet.check(pathAddress(params.ip_address)));
  handle(app, listBlockedAddresses, async ({ query, request, reply }) => {
    reply.header('vary', 'Accept');
    if (isPreferred('text/plain', 'application/json', request.headers.accept))
      return sendTextList(query, request, reply);
    return list(query, request.keyName, reply);
  });
  handle(app, syncBlockedAddresses, async ({ query, caller, request, answerWith }) => {
    const options = { acceptMapFile: query.accept_map_file === true };
    if (options.acceptMapFile) requireScope(request, 'admin', 'accept_map_file');
    const answer = await blockedSet.sync(caller, options);
    answerWith(answer.runtime_map_synced ? 200 : 207);
    return answer;
  });

  async function list(query: ListQuery, keyName: string, reply: FastifyReply): Promise<BlockedIpPage> {
    const { limit, cursor, offset = 0, q, text, expiring = false, sort: by = 'address', order } = query;
    refuseCombinations(query);
    const claimed = await claimedOf(query, insight);
    const entries = { ...readEntryFilter(query, now()), ...hitFilterOf(query, now()) };
    const ofHits = by === 'hits' || by === 'last_hit' || query.hit_within !== undefined;
    const ordered = { by, descending: order === 'desc' };
    const isSearch = text !== undefined || claimed !== null || ofColumns.some((name) => query[name] !== undefined);
    const done = isSearch ? searches.begin(keyName) : null;
    try {
      const wanted = {
        order: ordered,
        entries,
        limit,
        cursor: cursor ?? null,
        offset,
        q: q ?? null,
        text: text ?? null,
        expiring,
        claimed,
        hits: ofHits ? await insight.hitSnapshot() : undefined,
      };
      const page = await blockedSet.list({ ...wanted, signal: untilGone(reply) });
      const hits = await insight.hitsOf(page.items, query.spark === true);
      return { ...page, items: page.items.map((item, index) => ({ ...item, hits: hits[index] ?? null })) };
    } finally {
      done?.();
    }
  }

  async function sendTextList(query: ListQuery, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const name =
      /[?&](limit|cursor|offset|q|text|expiring|sort|order|family|wider_than|blocked_since|hit_within|spark)=/.exec(
        request.url,
      )?.[1];
    if (name !== undefined) {
      throw rejectedFields([
        {
          name,
          description: 'the text list takes only source, reason and blocked_by; remove this parameter, or request JSON',
        },
      ]);
    }
    const done = exports.begin(request.keyName);
    // `finished` also calls back for a client that has already disconnected.
    finished(reply.raw, done);
    reply.type('text/plain; charset=utf-8');
    const claimed = await claimedOf(query, insight);
    return reply.send(request.method === 'HEAD' ? '' : textListStream(blockedSet.listTexts(claimed), slices));
  }
}

/** Read from the columns in memory, which hold no texts. */
const ofColumns = ['sort', 'order', 'family', 'wider_than', 'blocked_since', 'hit_within'] as const;

/** Errors: 100 for parameters that cannot be sent together. */
function refuseCombinations(query: ListQuery): void {
  const { q, text, reason, blocked_by: by, expiring } = query;
  const isSent = (name: keyof ListQuery): boolean => query[name] !== undefined;
  const refuse = (name: string | undefined, description: string): void => {
    if (name !== undefined) throw rejectedFields([{ name, description }]);
  };
  if (q !== undefined && text !== undefined) refuse('text', 'send either q or text, not both');
  if (q !== undefined || text !== undefined) {
    refuse(
      (['source', 'reason', 'blocked_by', 'not_hit_for', ...ofColumns] as const).find(isSent),
      'send it without q and text',
    );
  }
  if (reason !== undefined || by !== undefined || query.not_hit_for !== undefined) {
    refuse(ofColumns.find(isSent), 'send it without reason, blocked_by and not_hit_for');
    if (expiring === true) refuse('expiring', 'send it without reason, blocked_by and not_hit_for');
  }
}

async function claimedOf(query: ListQuery, insight: Services['insight']): Promise<BlockedListQuery['claimed']> {
  const { source, reason, blocked_by } = query;
  const notHit = await notHitOf(query, insight);
  const claimed = {
    ...(source !== undefined && { source }),
    ...(reason !== undefined && { reason }),
    ...(blocked_by !== undefined && { blocked_by }),
    ...(notHit !== undefined && { notHit }),
  };
  return Object.keys(claimed).length === 0 ? null : claimed;
}

/**
 * Fastify sends the headers with the first page, so an unreadable database is still an error response. A later failure
 * breaks the connection, so that the client notices the incomplete list.
 */
function textListStream(pages: AsyncIterable<readonly string[]>, slices: SliceQueue): Readable {
  return Readable.from(lines(pages, slices), { objectMode: false, encoding: 'utf8' });
}

async function* lines(pages: AsyncIterable<readonly string[]>, slices: SliceQueue): AsyncGenerator<string> {
  await slices.next();
  for await (const page of pages) {
    if (page.length > 0) yield `${page.join('\n')}\n`;
    await slices.next();
  }
}
