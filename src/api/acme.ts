import Type from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { AcmeCertificate, AcmeRemoved, AcmeRequest, AcmeStatus } from './acme-records.ts';
import { OwnedName } from './certificates.ts';
import { operation } from './operation.ts';
import { listOf, model, plainName, text } from './schema.ts';

const tag = 'Certificates';
const id = 'c-7f3kq2m4xa';
const path = { id };
const params = Type.Object({ id: plainName('The id of the certificate.', id) });
const directory = 'https://acme-v02.api.letsencrypt.org/directory';

const conflict = {
  409: model('AcmeConflictMembers', 'Why nothing is ordered; the members depend on `code`.', {
    setting: Type.Optional(text('The setting that is missing (6043, 6053, 6058).')),
    owned: Type.Optional(
      listOf(OwnedName, 'Names that have a certificate (6042), or for which one is ordered (6060).'),
    ),
    certificate: Type.Optional(text('The id under which these names are ordered (6059).')),
  }),
};
const notConfigured = [codes.TlsNotConfigured, codes.AcmeNotConfigured];

const certificate = {
  id,
  names: ['shop.example.com'],
  challenge: 'http-01',
  profile: null,
  directory,
  not_after: null,
  due_at: '2026-11-20T12:00:00.000Z',
  due_by: 'request',
  failures: 0,
  problem: null,
  attempts: [],
} satisfies AcmeCertificate;

const ordered = {
  ...certificate,
  attempts: [{ state: 'planned', directory, began_at: '2026-11-20T12:00:00.000Z', ended_at: null, problem: null }],
} satisfies AcmeCertificate;

export const getAcme = operation({
  id: 'getAcme',
  method: 'GET',
  path: '/api/acme',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get the authority, and which certificates are due',
  description: 'With the pauses that the authority or a failure made.',
  answers: { 200: { description: 'The state of orders.', schema: AcmeStatus } },
  codes: notConfigured,
  members: conflict,
  examples: {
    one: {
      summary: 'One certificate is ordered',
      answer: { directory, account: null, pauses: [], total: 1, failing: 0, next: [certificate] },
    },
  },
});

export const requestCertificate = operation({
  id: 'requestCertificate',
  method: 'POST',
  path: '/api/acme/certificates',
  access: 'admin',
  audit: 'request_certificate',
  tag,
  summary: 'Order a certificate from the authority',
  description:
    'The order is stored, and begins at once. HAProxy answers the challenges; the certificate is installed when it is issued, and renewed from then on. It takes the place of an uploaded certificate, with its id, if it has all its names.\n\nThe names must lead to this HAProxy, at port 80, unless they are validated by `dns-01`, which wildcards need.',
  body: AcmeRequest,
  answers: { 202: { description: 'The order is stored.', schema: AcmeCertificate } },
  codes: [
    ...notConfigured,
    codes.NameHasCertificate,
    codes.ChallengesNotShown,
    codes.CertificateListUnused,
    codes.ChallengesNotReady,
    codes.DnsHookMissing,
    codes.AlreadyOrdered,
    codes.NameIsOrdered,
  ],
  members: conflict,
  examples: {
    one: {
      summary: 'A certificate of one name',
      body: { names: ['shop.example.com'] },
      status: 202,
      answer: certificate,
    },
  },
});

export const getAcmeCertificate = operation({
  id: 'getAcmeCertificate',
  method: 'GET',
  path: '/api/acme/certificates/:id',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get the orders of a certificate',
  description: 'When the next is due, and why the last one failed, in the words of the authority.',
  params,
  answers: { 200: { description: 'The certificate and its orders.', schema: AcmeCertificate } },
  codes: [...notConfigured, codes.NotFound],
  members: conflict,
  examples: { one: { summary: 'A certificate', path, answer: ordered } },
});

export const renewCertificate = operation({
  id: 'renewCertificate',
  method: 'POST',
  path: '/api/acme/certificates/:id/renew',
  access: 'admin',
  audit: 'renew_certificate',
  tag,
  summary: 'Order a certificate now',
  description:
    'Also one whose last order needs attention. At most 2 certificates for the same names are ordered from one authority in 24 hours and 4 in 7 days; beyond that, `due_at` says when.',
  params,
  answers: { 202: { description: 'It is due.', schema: AcmeCertificate } },
  codes: [...notConfigured, codes.NotFound],
  members: conflict,
  examples: { one: { summary: 'A certificate', path, status: 202, answer: ordered } },
});

export const stopRenewal = operation({
  id: 'stopRenewal',
  method: 'DELETE',
  path: '/api/acme/certificates/:id',
  access: 'admin',
  audit: 'stop_renewal',
  tag,
  summary: 'Stop the orders of a certificate',
  description: 'An open order ends. A certificate that was issued is served until it expires or is removed.',
  params,
  answers: { 200: { description: 'Nothing is ordered any more.', schema: AcmeRemoved } },
  codes: [...notConfigured, codes.NotFound],
  members: conflict,
  examples: { one: { summary: 'A certificate', path, answer: { id } } },
});

export const acmeOperations = [getAcme, requestCertificate, getAcmeCertificate, renewCertificate, stopRenewal] as const;
