// What Node's parser lets through, or answers by itself and barely: a request that two readers could take for two
// different ones is refused, and everything that leaves carries our headers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { codes } from '../errors/catalogue.ts';
import { errorContentTypes } from '../errors/negotiate.ts';
import { toProblem } from '../errors/problem.ts';
import { ServiceError } from '../errors/service-error.ts';
import { newRequestId } from './request-id.ts';
import { commonHeaders } from './security-headers.ts';

/** Of these a second one is dropped in silence; whoever stands before us may have read that one. */
const ONCE = new Set(['host', 'authorization']);

/** @throws ServiceError 400 */
export function refuseAmbiguous({ rawHeaders, headers, httpVersionMajor, httpVersionMinor }: IncomingMessage): void {
  // RFC 9112, 3.2. Node would answer this itself, without a header of ours (`requireHostHeader`).
  if (headers.host === undefined && (httpVersionMajor > 1 || httpVersionMinor >= 1)) throw improper('it has no Host');
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) throw improper(`it has the header ${name} twice`);
    seen.add(name);
  }
}

/** For Node's `checkExpectation`: an `Expect` that is not `100-continue`, which Node would answer with a bare 417. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const requestId = newRequestId();
  const { status, body } = toProblem(improper('its Expect is not 100-continue'), requestId);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...commonHeaders(requestId),
    'content-type': errorContentTypes['problem+json'],
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  response.end(text);
}

function improper(why: string): ServiceError {
  return new ServiceError(codes.InvalidParameter, 'read request', `this is not a proper HTTP request: ${why}`);
}
