// What Node's parser lets through although two readers could take it for two different requests.
import type { IncomingMessage } from 'node:http';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';

/** Of these a second one is dropped in silence; whoever stands before us may have read that one. */
const ONCE = new Set(['host', 'authorization']);

/** @throws ServiceError 400 */
export function refuseAmbiguous({ rawHeaders }: IncomingMessage): void {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) throw improper(`it has the header ${name} twice`);
    seen.add(name);
  }
}

function improper(why: string): ServiceError {
  return new ServiceError(codes.InvalidParameter, 'read request', `this is not a proper HTTP request: ${why}`);
}
