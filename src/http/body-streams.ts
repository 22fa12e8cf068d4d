import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Rejection } from '../api/blocked-ips-bulk.ts';
import type { BulkItem, RequestedBlock } from '../blocking/blocked-set-service.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { count } from '../domain/counted.ts';
import type { IpEntry } from '../domain/ip.ts';
import type { BatchShare } from './batch-room.ts';
import { checkCoding, wrongMediaType } from './bodies.ts';
import { BodyPace } from './body-pace.ts';
import type { ElementReader } from './bulk-elements.ts';
import { type JsonForm, type JsonValue, readJsonValues } from './json-values.ts';
import { malformedBody, tooLarge } from './rejections.ts';
import { readTextList } from './text-list.ts';

/**
 * Ends only with a complete body. If the reader stops early, the rest is discarded, so that the client can read its
 * response. Errors: 400 if the client disconnects, 413 beyond `limit` bytes (null: no limit), 408 if it is too slow.
 * @param paceMs the window over which its pace is averaged
 */
async function* completeBody(
  request: FastifyRequest,
  limit: number | null,
  paceMs: number,
): AsyncGenerator<Uint8Array> {
  const message: IncomingMessage = request.raw;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (limit !== null && announced > limit) throw tooLarge(`the body is larger than ${count(limit)} bytes`);
  let received = 0;
  const pace = new BodyPace(paceMs);
  const pieces: AsyncIterator<Uint8Array> = message.iterator({ destroyOnReturn: false });
  try {
    for (let piece = await pace.next(pieces); piece.done !== true; piece = await pace.next(pieces)) {
      received += piece.value.length;
      if (limit !== null && received > limit) throw tooLarge(`the body is larger than ${count(limit)} bytes`);
      yield piece.value;
    }
    // `inject` sets no `complete`.
    if (message.complete === false)
      throw malformedBody('the body ended early, so nothing was changed; send the complete body');
  } finally {
    // Not awaited: `return()` would wait for a `next()` that is still pending.
    void pieces.return?.();
    message.resume();
  }
}

const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const MAX_BATCH_ELEMENTS = 100_000;

const ARRAY: JsonForm = { root: 'array', paths: ['$.*'], name: 'a JSON array of addresses or objects' };
const LISTS: JsonForm = {
  root: 'object',
  paths: ['$.*', '$.*.*'],
  name: 'a JSON object with the lists add and remove',
};

/**
 * In slices of a few milliseconds. Another media type is rejected at once (415); throws if the body is aborted, invalid
 * or too slow.
 */
export function readCompleteSet(
  request: FastifyRequest,
  reader: ElementReader,
  paceMs: number,
): AsyncGenerator<readonly BulkItem[]> {
  checkCoding(request);
  const body = completeBody(request, null, paceMs);
  if (isUtf8Text(request)) return inTurns(readTextList(body));
  if (request.mediaType === 'application/json') return inTurns(readArray(body, reader));
  throw wrongMediaType(request, 'text/plain in UTF-8, or application/json');
}

async function* readArray(body: AsyncIterable<Uint8Array>, reader: ElementReader): AsyncGenerator<readonly BulkItem[]> {
  let index = 0;
  for await (const values of readJsonValues(body, ARRAY)) {
    yield values.map((element) => reader.listed(element, index++));
  }
}

async function* inTurns<Item>(batches: AsyncIterable<Item>): AsyncGenerator<Item> {
  for await (const batch of batches) {
    yield batch;
    await yieldToLoop();
  }
}

function isUtf8Text(request: FastifyRequest): boolean {
  if (request.mediaType !== 'text/plain') return false;
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset);
}

export interface Batch {
  readonly add: { readonly index: number; readonly request: RequestedBlock }[];
  readonly remove: { readonly index: number; readonly entry: IpEntry }[];
  readonly rejected: Rejection[];
}

/** Up to 16 MiB and 100,000 elements, which limits the rejections too. `share` accounts for the memory. */
export async function readBatch(
  request: FastifyRequest,
  reader: ElementReader,
  share: BatchShare,
  paceMs: number,
): Promise<Batch> {
  checkCoding(request);
  if (request.mediaType !== 'application/json') throw wrongMediaType(request, 'application/json');
  const batch: Batch = { add: [], remove: [], rejected: [] };
  const ended = new Set<string>();
  let elements = 0;
  const body = counted(completeBody(request, MAX_BATCH_BYTES, paceMs), (bytes) => share.take(0, bytes));
  for await (const values of readJsonValues(body, LISTS)) {
    share.take(values.length, 0);
    for (const element of values) {
      const { value, path } = element;
      const [list, index] = path;
      if (list !== 'add' && list !== 'remove') throw malformedBody(`the body may only have the fields add and remove`);
      if (index === undefined) {
        if (!Array.isArray(value)) throw malformedBody(`${list} must be a list of addresses or objects`);
        ended.add(list);
        continue;
      }
      if (typeof index !== 'number') throw malformedBody(`${list} must be a list of addresses or objects`);
      elements += 1;
      if (elements > MAX_BATCH_ELEMENTS) {
        throw tooLarge(
          `a batch may have at most ${count(MAX_BATCH_ELEMENTS)} addresses; split it, or replace the complete set with PUT`,
        );
      }
      readElement(batch, list, index, element, reader);
    }
    await yieldToLoop();
  }
  if (ended.size === 0) throw malformedBody('the body has neither add nor remove; send at least one of them');
  return batch;
}

async function* counted(body: AsyncIterable<Uint8Array>, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    count(chunk.length);
    yield chunk;
  }
}

function readElement(
  batch: Batch,
  list: 'add' | 'remove',
  index: number,
  element: JsonValue,
  reader: ElementReader,
): void {
  const reading = list === 'add' ? reader.added(element) : reader.removed(element);
  if (!reading.ok) batch.rejected.push({ list, index, value: reading.value, why: reading.why });
  else if (list === 'add') batch.add.push({ index, request: reading.request });
  else batch.remove.push({ index, entry: reading.request.entry });
}
