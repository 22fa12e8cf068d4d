import { codes } from '../../errors/catalogue.ts';
import { report } from './change-samples.ts';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';

const trusted = {
  ip_address: '192.0.2.10',
  note: 'our office',
  added_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
};
const path = { ip_address: '192.0.2.10' };
const unknown = {
  type: 'urn:proxy-manager:error:1100',
  title: 'not found',
  status: 404,
  detail: '192.0.2.99 is not trusted',
  code: 1100,
  kind: 'Search',
  op: 'get trusted address',
  errors: [],
  request_id: 'V1StGXR8_Z5jdHi6',
};

export const operations: OperationDocs = {
  'GET /api/trusted-ips': {
    id: 'listTrustedAddresses',
    tag: 'Trusted addresses',
    summary: 'List what is trusted',
    description: 'All of it, in the order of addresses.',
    answers: { 200: { description: 'The trusted addresses and networks.' } },
    examples: { all: { summary: 'All', answer: { items: [trusted], total: 1 } } },
  },
  'GET /api/trusted-ips/:ip_address': {
    id: 'getTrustedAddress',
    tag: 'Trusted addresses',
    summary: 'Look at one trusted address or network',
    description: 'Its own entry; a network that covers it is not looked for.',
    answers: { 200: { description: 'The entry.' } },
    codes: [codes.NotFound],
    examples: {
      address: { summary: 'An address', path, answer: trusted },
      unknown: {
        summary: 'An address that is not trusted',
        path: { ip_address: '192.0.2.99' },
        status: 404,
        answer: unknown,
      },
    },
  },
  'PUT /api/trusted-ips/:ip_address': {
    id: 'trustAddress',
    tag: 'Trusted addresses',
    summary: 'Trust an address or network',
    description:
      'It is never denied from then on, whatever is blocked. It takes effect at once, without a reload, and is verified at every worker as a block is. An absent `note` keeps the old one, null takes it away. Without a time a new entry is permanent and an existing one keeps its end; `duration_seconds` takes the later end (permanent stays), `expires_at` is taken as given, null makes it permanent. `expires_at` and `duration_seconds` exclude each other. An entry that expires is removed within two seconds. No body at all is the same as an empty object.',
    answers: {
      200: { description: 'It was trusted already; this is what holds now.' },
      201: { description: 'It is trusted.' },
    },
    codes: [codes.InvalidTime, codes.MapFileUnusable],
    examples: {
      office: {
        summary: 'An address with a note',
        path,
        body: { note: 'our office' },
        status: 201,
        answer: { ...trusted, ...report },
      },
      visitor: {
        summary: 'For eight hours',
        path: { ip_address: '192.0.2.20' },
        body: { note: 'consultant', duration_seconds: 28_800 },
        status: 201,
        answer: {
          ...trusted,
          ip_address: '192.0.2.20',
          note: 'consultant',
          expires_at: '2026-11-20T20:00:00.000Z',
          ...report,
        },
      },
    },
  },
  'DELETE /api/trusted-ips/:ip_address': {
    id: 'distrustAddress',
    tag: 'Trusted addresses',
    summary: 'Trust an address or network no longer',
    description: 'What is blocked of it is denied from then on. It takes effect at once, without a reload.',
    answers: { 200: { description: 'Its entry is gone.' } },
    codes: [codes.NotFound, codes.MapFileUnusable],
    examples: { address: { summary: 'An address', path, answer: { ip_address: '192.0.2.10', ...report } } },
  },
};

export const models: FieldDocs = {
  TrustRequest: 'The note and expiry of a trusted address.',
  TrustedIp: 'A trusted address or network.',
  TrustedIps: 'All that is trusted.',
  TrustAnswer: 'The entry as it is now, and what was seen at the workers.',
  DistrustAnswer: 'What was taken out, and what was seen at the workers.',
};

export const fields: FieldDocs = {
  'TrustRequest.note': 'Why it is trusted.',
  'TrustRequest.expires_at': 'When it expires; null: never. Excludes `duration_seconds`.',
  'TrustRequest.duration_seconds': 'For how many seconds from now. Excludes `expires_at`.',
  '*.note': 'What was noted; null where nothing was.',
  '*.added_at': 'Since when.',
};
