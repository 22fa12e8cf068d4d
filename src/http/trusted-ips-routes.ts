import type { TrustChange } from '../blocking/blocked-set-service.ts';
import { codes } from '../errors/catalogue.ts';
import type { TypedApp } from './app.ts';
import { pathAddress } from './path-address.ts';
import { refusedFields } from './refusals.ts';
import { callerOf } from './request-context.ts';
import { parseFutureTime } from './rfc3339.ts';
import { pathParameter } from './schemas/common.ts';
import {
  DistrustAnswerSchema,
  TrustAnswerSchema,
  TrustedIpBody,
  TrustedIpSchema,
  TrustedIpsSchema,
} from './schemas/trusted-ips.ts';
import type { Services } from './services.ts';

const params = pathParameter('ip_address');

export function trustedIpsRoutes(app: TypedApp, { trustedIps }: Services, now: () => Date): void {
  app.get('/api/trusted-ips', { schema: { response: { 200: TrustedIpsSchema } } }, async () => {
    const items = await trustedIps.list();
    return { items, total: items.length };
  });

  app.get('/api/trusted-ips/:ip_address', { schema: { params, response: { 200: TrustedIpSchema } } }, async (request) =>
    trustedIps.get(pathAddress(request.params.ip_address)),
  );

  app.put(
    '/api/trusted-ips/:ip_address',
    {
      schema: { params, body: TrustedIpBody, response: { 200: TrustAnswerSchema, 201: TrustAnswerSchema } },
      // The path says it all: no body is the same as an empty object.
      preValidation: async (request) => {
        if (request.body === undefined) request.body = {};
      },
    },
    async (request, reply) => {
      const entry = pathAddress(request.params.ip_address);
      const { note } = request.body;
      const change = { ...(note === undefined ? {} : { note }), expiry: readTrustExpiry(request.body, now()) };
      const { created, answer } = await trustedIps.put(entry, change, callerOf(request));
      return reply.code(created ? 201 : 200).send(answer);
    },
  );

  app.delete(
    '/api/trusted-ips/:ip_address',
    { schema: { params, response: { 200: DistrustAnswerSchema } } },
    async (request) => trustedIps.remove(pathAddress(request.params.ip_address), callerOf(request)),
  );
}

/** @throws ServiceError 400 for a time that is not in the future, or told twice */
function readTrustExpiry(
  { expires_at: at, duration_seconds: seconds }: TrustedIpBody,
  now: Date,
): TrustChange['expiry'] {
  if (at !== undefined && seconds !== undefined) {
    const description = 'expires_at and duration_seconds exclude each other; give one of them';
    const fields = ['expires_at', 'duration_seconds'].map((name) => ({ name, description }));
    throw refusedFields(fields, codes.InvalidTime);
  }
  if (seconds !== undefined) return { kind: 'duration', seconds };
  if (at === undefined) return { kind: 'keep' };
  if (at === null) return { kind: 'permanent' };
  const time = parseFutureTime(at, now);
  if (!time.ok) throw refusedFields([{ name: 'expires_at', description: time.why }], codes.InvalidTime);
  return { kind: 'at', at: time.value };
}
