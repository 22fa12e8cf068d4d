import type { FastifyInstance } from 'fastify';
import { getAcme, getAcmeCertificate, renewCertificate, requestCertificate, stopRenewal } from '../api/acme.ts';
import { requestedNames } from './acme-request.ts';
import { handle } from './handle.ts';
import type { Services } from './services.ts';

export function acmeRoutes(app: FastifyInstance, { acme }: Services): void {
  handle(app, getAcme, () => acme.status());
  handle(app, requestCertificate, async ({ body, caller, answerWith }) => {
    answerWith(202);
    return await acme.request(requestedNames(body.names), body, caller);
  });
  handle(app, getAcmeCertificate, ({ params }) => acme.get(params.id));
  handle(app, renewCertificate, async ({ params, caller, answerWith }) => {
    answerWith(202);
    return await acme.renew(params.id, caller);
  });
  handle(app, stopRenewal, ({ params, caller }) => acme.stop(params.id, caller));
}
