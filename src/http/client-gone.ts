// Work that is worth something only while its client waits for it.
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientGone } from './rejections.ts';
import type { RequestLimit } from './request-limit.ts';

/** Aborts when the response was sent, or the client has disconnected before. */
export function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // `finished` also calls back for a client that has already disconnected.
  finished(reply.raw, () => gone.abort(clientGone()));
  return gone.signal;
}

interface Waiting {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Runs `work` in a place of the limit. A client that disconnects aborts it, so that a page that is reloaded often does not
 * fill all places with work for nothing; the place is free when the work has ended. Errors: 503.
 */
export async function whileWaiting<Result>(
  limit: RequestLimit,
  { request, reply }: Waiting,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const done = limit.begin(request.keyName);
  try {
    return await work(untilGone(reply));
  } finally {
    done();
  }
}
