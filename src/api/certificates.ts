import Type from 'typebox';
import { codes } from '../errors/catalogue.ts';
import {
  Certificate,
  CertificateAnswer,
  CertificatePage,
  CertificateRemoved,
  CertificateRequest,
  ForceQuery,
  ListQuery,
} from './certificate-records.ts';
import { operation } from './operation.ts';
import { count, listOf, model, plainName, text, texts } from './schema.ts';

const tag = 'Certificates';
export const chainType = 'application/pem-certificate-chain';
const id = 'c-7f3kq2m4xa';

const params = Type.Object({ id: plainName('The id of the certificate.', id) });

export const OwnedName = model('OwnedName', 'A name that belongs to another certificate.', {
  name: text('The name.'),
  certificate: text('The id of its certificate.'),
});
const CertificateConflictMembers = model(
  'CertificateConflictMembers',
  'Why nothing was changed; the members depend on `code`.',
  {
    owned: Type.Optional(listOf(OwnedName, 'The names that belong to other certificates (6042).')),
    sites: Type.Optional(texts('Enabled sites that would lose their certificate, the first 100 (6044).')),
    sites_total: Type.Optional(count('How many these are (6044).')),
    setting: Type.Optional(text('The setting without which HAProxy serves no TLS (6043).')),
    current_total: Type.Optional(count('How many certificates there are (6031).')),
    would_be: Type.Optional(count('How many there would be (6031).')),
    limit: Type.Optional(count('How many are allowed (6031).')),
  },
);
export const TlsMembers = model('TlsMembers', 'Why the operation is not available.', {
  setting: Type.Optional(text('The setting without which HAProxy serves no TLS (6043).')),
});
const conflict = { 409: CertificateConflictMembers };
const notConfigured = { 409: TlsMembers };

const certificate = {
  id,
  names: ['shop.example.com', 'www.shop.example.com'],
  other_names: [],
  source: 'upload',
  version: 1,
  state: 'active',
  served_until: '2027-02-18T12:00:00.000Z',
  not_before: '2026-11-20T12:00:00.000Z',
  not_after: '2027-02-18T12:00:00.000Z',
  days_left: 90,
  self_signed: false,
  subject: 'CN=shop.example.com',
  issuer: 'C=US, O=Example CA, CN=E8',
  serial: '04D1C2B3A4958677',
  key_type: 'P-256',
  key_bits: null,
  sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  chain: ['C=US, O=Example CA, CN=E8'],
  warnings: [],
  problem: null,
  sites: ['shop.example.com'],
  sites_total: 1,
  files: 'durable',
  workers: [{ pid: 4711, role: 'current', holds: true, reason: null }],
  runtime_updated: true,
  reload_scheduled: false,
  handshake: 'seen',
  handshake_reason: null,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
} satisfies Certificate;

const pem = (label: string) => `-----BEGIN ${label}-----\n…\n-----END ${label}-----\n`;
const body = { certificate: pem('CERTIFICATE'), private_key: pem('PRIVATE KEY') };
const path = { id };
const installed =
  'The certificate is checked (key, names, time, chain) and HAProxy checks it too, before anything is stored. Then database and file hold it durably, and every worker gets it without a reload. `runtime_updated` says whether every current worker was read back to hold it; until then, clients see the certificate that was served before.';
const changeCodes = [
  codes.InvalidCertificate,
  codes.NameHasCertificate,
  codes.TlsNotConfigured,
  codes.KeysUnreadable,
  codes.Unavailable,
];

export const listCertificates = operation({
  id: 'listCertificates',
  method: 'GET',
  path: '/api/certificates',
  access: 'read',
  audit: null,
  tag,
  summary: 'List the certificates',
  description: 'Those that expire first come first.',
  query: ListQuery,
  answers: { 200: { description: 'The certificates.', schema: CertificatePage } },
  codes: [codes.InvalidTime, codes.TlsNotConfigured],
  members: notConfigured,
  examples: {
    all: { summary: 'All', answer: { items: [certificate], total: 1, next_cursor: null } },
    expiring: {
      summary: 'Those that expire within 30 days: none',
      query: { expires_within: '30d' },
      answer: { items: [], total: 0, next_cursor: null },
    },
  },
});

export const getCertificate = operation({
  id: 'getCertificate',
  method: 'GET',
  path: '/api/certificates/:id',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get one certificate',
  description: 'With what files and workers were last known to hold.',
  params,
  answers: { 200: { description: 'The certificate.', schema: Certificate } },
  codes: [codes.NotFound, codes.TlsNotConfigured],
  members: notConfigured,
  examples: { one: { summary: 'A certificate', path, answer: certificate } },
});

export const addCertificate = operation({
  id: 'addCertificate',
  method: 'POST',
  path: '/api/certificates',
  access: 'admin',
  audit: 'set_certificate',
  tag,
  summary: 'Upload a certificate',
  description: `${installed}\n\nA name belongs to one certificate (409, 6042): to renew a certificate, replace it. A self-signed certificate is its own chain: it is accepted, with a warning.`,
  body: CertificateRequest,
  answers: { 201: { description: 'The certificate is stored.', schema: CertificateAnswer } },
  codes: [...changeCodes, codes.SetFull],
  members: conflict,
  examples: {
    upload: { summary: 'A certificate with its key', body, status: 201, answer: { ...certificate, changed: true } },
  },
});

export const replaceCertificate = operation({
  id: 'replaceCertificate',
  method: 'PUT',
  path: '/api/certificates/:id',
  access: 'admin',
  audit: 'set_certificate',
  tag,
  summary: 'Replace a certificate',
  description: `For a renewal. ${installed}\n\nIts names become those of the new certificate. If an enabled site would lose its certificate, nothing is changed (409, 6044) without \`force=true\`.`,
  params,
  query: ForceQuery,
  body: CertificateRequest,
  answers: { 200: { description: 'The certificate is replaced.', schema: CertificateAnswer } },
  codes: [...changeCodes, codes.CertificateInUse, codes.NotFound],
  members: conflict,
  examples: {
    renewal: {
      summary: 'A renewed certificate with a new key',
      path,
      body,
      answer: {
        ...certificate,
        version: 2,
        served_until: '2027-05-19T12:00:00.000Z',
        not_after: '2027-05-19T12:00:00.000Z',
        days_left: 180,
        changed: true,
      },
    },
  },
});

export const removeCertificate = operation({
  id: 'removeCertificate',
  method: 'DELETE',
  path: '/api/certificates/:id',
  access: 'admin',
  audit: 'remove_certificate',
  tag,
  summary: 'Remove a certificate',
  description:
    'The workers stop serving it at once, and its private key is deleted from files and database. If enabled sites are served with it, nothing is changed (409, 6044) without `force=true`. Their redirects to https and HSTS end first; if a current worker did not confirm that, nothing is removed either (503, 3000). The certificate with which the API serves HTTPS is never removed (409, 6056).',
  params,
  query: ForceQuery,
  answers: { 200: { description: 'The certificate is removed.', schema: CertificateRemoved } },
  codes: [codes.NotFound, codes.CertificateInUse, codes.CertificateOfApi, codes.TlsNotConfigured, codes.Unavailable],
  members: conflict,
  examples: {
    unused: {
      summary: 'A certificate of no site',
      path,
      answer: {
        id,
        names: certificate.names,
        sites: [],
        sites_total: 0,
        files: 'durable',
        workers: [{ pid: 4711, role: 'current', holds: false, reason: null }],
        runtime_updated: true,
        reload_scheduled: false,
        kept_files: [],
      },
    },
  },
});

export const getChain = operation({
  id: 'getCertificateChain',
  method: 'GET',
  path: '/api/certificates/:id/chain',
  access: 'read',
  audit: null,
  tag,
  summary: 'Get a certificate and its chain in PEM',
  description: 'What HAProxy sends to clients: the certificate, then its chain without the root. Without the key.',
  params,
  answers: {
    200: {
      description: 'The certificate and its chain.',
      content: {
        [chainType]: Type.String({ description: 'Certificates in PEM (RFC 8555, 9.1).' }),
      },
    },
  },
  codes: [codes.NotFound, codes.TlsNotConfigured],
  members: notConfigured,
  examples: { one: { summary: 'A certificate', path, accept: chainType, answer: pem('CERTIFICATE') } },
});

export const verifyCertificate = operation({
  id: 'verifyCertificate',
  method: 'POST',
  path: '/api/certificates/:id/verify',
  access: 'admin',
  audit: 'verify_certificate',
  tag,
  summary: 'Verify that every worker serves a certificate',
  description:
    'Writes the file and sets the certificate in every worker again where that is needed, reads it back from each, and makes a TLS connection to HAProxy.',
  params,
  answers: { 200: { description: 'What was found.', schema: Certificate } },
  codes: [codes.NotFound, codes.TlsNotConfigured, codes.KeysUnreadable],
  members: notConfigured,
  examples: { one: { summary: 'A certificate', path, answer: certificate } },
});

export const certificateOperations = [
  listCertificates,
  getCertificate,
  addCertificate,
  replaceCertificate,
  removeCertificate,
  getChain,
  verifyCertificate,
] as const;
