import type { FastifyInstance } from 'fastify';
import type { CertificateRequest } from '../api/certificate-records.ts';
import {
  addCertificate,
  chainType,
  getCertificate,
  getChain,
  listCertificates,
  removeCertificate,
  replaceCertificate,
  verifyCertificate,
} from '../api/certificates.ts';
import type { UploadRequest } from '../tls/certificate-operations.ts';
import { handle } from './handle.ts';
import { validDuration } from './request-values.ts';
import type { Services } from './services.ts';

export function certificatesRoutes(app: FastifyInstance, { certificates }: Services): void {
  handle(app, listCertificates, ({ query }) => {
    const { limit, cursor, state, expires_within: within, q } = query;
    const expiresWithinMs = within === undefined ? undefined : validDuration('expires_within', within) * 1_000;
    return certificates.list({ limit, cursor, state, expiresWithinMs, q });
  });
  handle(app, getCertificate, ({ params }) => certificates.get(params.id));
  handle(app, addCertificate, async ({ body, caller, answerWith }) => {
    answerWith(201);
    return await certificates.add(uploadOf(body), caller);
  });
  handle(app, replaceCertificate, ({ params, query, body, caller }) =>
    certificates.replace(params.id, uploadOf(body), query.force === true, caller),
  );
  handle(app, removeCertificate, ({ params, query, caller }) =>
    certificates.remove(params.id, query.force === true, caller),
  );
  handle(app, getChain, async ({ params, reply }) => reply.type(chainType).send(await certificates.chain(params.id)));
  handle(app, verifyCertificate, ({ params, caller }) => certificates.verify(params.id, caller));
}

function uploadOf({ certificate, private_key, allow_incomplete_chain }: CertificateRequest): UploadRequest {
  return { upload: { certificate, privateKey: private_key }, allowIncompleteChain: allow_incomplete_chain === true };
}
