// A body that is read whole: bounded in bytes and in time. Node alone would let one byte of it come after the other for
// as long as a large list may take, and its place among the requests be held for so long.
import type { Readable } from 'node:stream';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { tooLarge } from './refusals.ts';

const TOO_LARGE = 'the body is larger than this request takes';

export interface SmallBodyBounds {
  /** Bytes. */
  readonly limit: number;
  /** Milliseconds for all of it, from now on. */
  readonly ms: number;
}

/**
 * Calls `done` once: with all bytes, or with an error: 413 beyond the limit, 408 when it did not come in time, or what
 * the stream says when the client goes away. What still comes after an error is the caller's to throw away.
 */
export function readSmallBody(
  stream: Readable,
  announced: number,
  { limit, ms }: SmallBodyBounds,
  done: (error: Error | null, body: Buffer) => void,
): void {
  const pieces: Buffer[] = [];
  let received = 0;
  let ended = false;
  const end = (error: Error | null): void => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    stream.off('data', take).off('end', whole).off('error', end);
    // A client that goes away later is nobody's business any more.
    if (error !== null) stream.on('error', () => undefined);
    done(error, error === null ? Buffer.concat(pieces, received) : Buffer.alloc(0));
  };
  const take = (piece: Buffer): void => {
    received += piece.length;
    if (received > limit) end(tooLarge(TOO_LARGE));
    else pieces.push(piece);
  };
  const whole = (): void => end(null);
  // After a moment in which the service itself stood still, what had come meanwhile is read first.
  const timer = setTimeout(() => setImmediate(() => end(tooSlow(received, ms))), ms);
  stream.on('data', take).on('end', whole).on('error', end);
  if (announced > limit) end(tooLarge(TOO_LARGE));
}

function tooSlow(bytes: number, ms: number): ServiceError {
  const detail = `the body comes too slowly: ${bytes} bytes of it in ${ms / 1000} s, in which it has to be whole; nothing was changed`;
  return new ServiceError(codes.RequestTimeout, 'read request', detail);
}
