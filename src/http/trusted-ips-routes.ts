import type { FastifyInstance } from 'fastify';
import {
  distrustAddress,
  getTrustedAddress,
  listTrustedAddresses,
  type TrustRequest,
  trustAddress,
} from '../api/trusted-ips.ts';
import type { TrustChange } from '../blocking/blocked-set-service.ts';
import { parseFutureTime } from '../domain/rfc3339.ts';
import { codes } from '../errors/catalogue.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import { bothTimes, pathAddress, validTime } from './request-values.ts';
import type { Services } from './services.ts';

export function trustedIpsRoutes(app: FastifyInstance, { trustedIps }: Services, now: () => Date): void {
  handle(app, listTrustedAddresses, async () => {
    const items = await trustedIps.list();
    return { items, total: items.length };
  });
  handle(app, getTrustedAddress, ({ params }) => trustedIps.get(pathAddress(params.ip_address)));
  handle(app, trustAddress, async ({ params, body, caller, answerWith, counted }) => {
    const entry = pathAddress(params.ip_address);
    const { note } = body;
    const change = { ...(note === undefined ? {} : { note }), expiry: readTrustExpiry(body, now()) };
    const { created, answer } = await trustedIps.put(entry, change, caller);
    answerWith(created ? 201 : 200);
    counted(created ? { added: 1 } : { unchanged: 1 });
    return answer;
  });
  handle(app, distrustAddress, async ({ params, caller, counted }) => {
    const answer = await trustedIps.remove(pathAddress(params.ip_address), caller);
    counted({ removed: 1 });
    return answer;
  });
}

/** Errors: 104. */
function readTrustExpiry(
  { expires_at: at, duration_seconds: seconds }: TrustRequest,
  now: Date,
): TrustChange['expiry'] {
  if (at !== undefined && seconds !== undefined) throw rejectedFields(bothTimes, codes.InvalidTime);
  if (seconds !== undefined) return { kind: 'duration', seconds };
  if (at === undefined) return { kind: 'keep' };
  if (at === null) return { kind: 'permanent' };
  return { kind: 'at', at: validTime('expires_at', parseFutureTime(at, now)) };
}
