// A page that is left open repeats its requests all day. What has not changed since is not sent again, and the rest is
// compressed, if the client accepts that.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { encodingsOf } from './panel-asset.ts';

/** A shorter one fits into the packet of its headers. */
const worthCompressing = 1_000;

const compressed = promisify(gzip);
/** At a time: files are read and written by the same four threads, and a block waits for them. */
const mostAtOnce = 2;

/** Of successful JSON responses to GET and HEAD. Not without a key: any client could make the service compress. */
export function addCompactReplies(app: FastifyInstance): void {
  let underWay = 0;
  app.addHook('onSend', async (request, reply, payload) => {
    const reads = request.keyName !== '' && (request.method === 'GET' || request.method === 'HEAD');
    if (!reads || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    if (!String(reply.getHeader('content-type')).startsWith('application/json')) return payload;
    const vary = reply.getHeader('vary');
    // Weak: the same for both encodings.
    const tag = `W/"${hash('sha256', payload, 'base64url')}"`;
    reply.headers({ etag: tag, vary: vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding` });
    if (tagsOf(request.headers['if-none-match']).includes(tag)) {
      reply.code(304).removeHeader('content-type');
      return null;
    }
    if (payload.length < worthCompressing || underWay >= mostAtOnce) return payload;
    if (!encodingsOf([request.headers['accept-encoding'] ?? ''].flat().join()).has('gzip')) return payload;
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    underWay += 1;
    try {
      return await compressed(payload);
    } finally {
      underWay -= 1;
    }
  });
}

function tagsOf(header: string | undefined): string[] {
  return (header ?? '').split(',').map((tag) => tag.trim());
}
