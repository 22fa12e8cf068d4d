import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { BodyPace } from './body-pace.ts';
import { malformedBody, tooLarge } from './refusals.ts';

/**
 * The bytes of a body as they come, at the pace of their reader. Ends only when the body came whole; throws when the
 * client went away (400), it is larger than `limit` bytes (413; null: no limit) or it comes too slowly (408). Whoever
 * stops reading early leaves the rest to be thrown away, so that the client can still read its answer.
 * @param paceMs over how long its pace is averaged
 */
export async function* wholeBody(
  request: FastifyRequest,
  limit: number | null,
  paceMs: number,
): AsyncGenerator<Uint8Array> {
  const message: IncomingMessage = request.raw;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (limit !== null && announced > limit) throw tooLarge(`the body is larger than ${limit} bytes`);
  let received = 0;
  const pace = new BodyPace(paceMs);
  const pieces: AsyncIterator<Uint8Array> = message.iterator({ destroyOnReturn: false });
  try {
    for (let piece = await pace.next(pieces); piece.done !== true; piece = await pace.next(pieces)) {
      received += piece.value.length;
      if (limit !== null && received > limit) throw tooLarge(`the body is larger than ${limit} bytes`);
      yield piece.value;
    }
    // An injected request (tests) has no `complete`.
    if (message.complete === false) throw malformedBody('the body ended before it was whole; nothing was changed');
  } finally {
    // Not waited for: of a body that came too slowly a piece is still awaited, and this would be after it.
    void pieces.return?.();
    message.resume();
  }
}
