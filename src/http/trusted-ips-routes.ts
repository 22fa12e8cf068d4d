import type { TypedApp } from './app.ts';
import { pathAddress } from './path-address.ts';
import { callerOf } from './request-context.ts';
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

export function trustedIpsRoutes(app: TypedApp, { trustedIps }: Services): void {
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
      const { created, answer } = await trustedIps.put(entry, request.body.note, callerOf(request));
      return reply.code(created ? 201 : 200).send(answer);
    },
  );

  app.delete(
    '/api/trusted-ips/:ip_address',
    { schema: { params, response: { 200: DistrustAnswerSchema } } },
    async (request) => trustedIps.remove(pathAddress(request.params.ip_address), callerOf(request)),
  );
}
