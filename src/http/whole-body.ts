import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { malformedBody, tooLarge } from './refusals.ts';

/**
 * The bytes of a body as they come, at the pace of their reader. Ends only when the body came whole; throws when the
 * client went away (400) or it is larger than `limit` bytes (413; null: no limit). Whoever stops reading early leaves
 * the rest to be thrown away, so that the client can still read its answer.
 */
export async function* wholeBody(request: FastifyRequest, limit: number | null): AsyncGenerator<Uint8Array> {
  const message: IncomingMessage = request.raw;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (limit !== null && announced > limit) throw tooLarge(`the body is larger than ${limit} bytes`);
  let received = 0;
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      received += chunk.length;
      if (limit !== null && received > limit) throw tooLarge(`the body is larger than ${limit} bytes`);
      yield chunk;
    }
    // An injected request (tests) has no `complete`.
    if (message.complete === false) throw malformedBody('the body ended before it was whole; nothing was changed');
  } finally {
    message.resume();
  }
}
