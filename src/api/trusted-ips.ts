import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { addressText, durationField, report, runtimeReportFields, untilField } from './changes.ts';
import { operation } from './operation.ts';
import {
  count,
  lineOfTextOrNull,
  listOf,
  model,
  pathText,
  requestModel,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './schema.ts';

const tag = 'Trusted addresses';
const params = Type.Object({ ip_address: pathText });

const TrustRequest = requestModel(
  'TrustRequest',
  'The note and expiry of a trusted address.',
  'a JSON object with note, expires_at or duration_seconds, or empty',
  {
    note: Type.Optional(lineOfTextOrNull(0, 500, 'Why it is trusted.')),
    expires_at: untilField('When it expires; null: never. Excludes `duration_seconds`.'),
    duration_seconds: durationField,
  },
);
export type TrustRequest = Static<typeof TrustRequest>;

const fields = {
  ip_address: text(addressText),
  note: textOrNull('What was noted; null where nothing was.'),
  added_at: time('Since when.'),
  expires_at: timeOrNull('Until when; null: for good.'),
};

export const TrustedIp = model('TrustedIp', 'A trusted address or network.', fields);
export type TrustedIp = Static<typeof TrustedIp>;

const TrustedIps = model('TrustedIps', 'All that is trusted.', {
  items: listOf(TrustedIp, 'The entries.'),
  total: count('How many there are in all.'),
});

const TrustAnswer = model('TrustAnswer', 'The entry as it is now, and what was seen at the workers.', {
  ...fields,
  ...runtimeReportFields,
});
export type TrustAnswer = Static<typeof TrustAnswer>;

const DistrustAnswer = model('DistrustAnswer', 'What was taken out, and what was seen at the workers.', {
  ip_address: text(addressText),
  ...runtimeReportFields,
});
export type DistrustAnswer = Static<typeof DistrustAnswer>;

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

export const listTrustedAddresses = operation({
  id: 'listTrustedAddresses',
  method: 'GET',
  path: '/api/trusted-ips',
  access: 'read',
  audit: null,
  tag,
  summary: 'List what is trusted',
  description: 'All of it, in the order of addresses.',
  answers: { 200: { description: 'The trusted addresses and networks.', schema: TrustedIps } },
  examples: { all: { summary: 'All', answer: { items: [trusted], total: 1 } } },
});

export const getTrustedAddress = operation({
  id: 'getTrustedAddress',
  method: 'GET',
  path: '/api/trusted-ips/:ip_address',
  access: 'read',
  audit: null,
  tag,
  summary: 'Look at one trusted address or network',
  description: 'Its own entry; a network that covers it is not looked for.',
  params,
  answers: { 200: { description: 'The entry.', schema: TrustedIp } },
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
});

export const trustAddress = operation({
  id: 'trustAddress',
  method: 'PUT',
  path: '/api/trusted-ips/:ip_address',
  access: 'admin',
  audit: 'trust',
  tag,
  summary: 'Trust an address or network',
  description:
    'It is never denied from then on, whatever is blocked. It takes effect at once, without a reload, and is verified at every worker as a block is. An absent `note` keeps the old one, null takes it away. Without a time a new entry is permanent and an existing one keeps its end; `duration_seconds` takes the later end (permanent stays), `expires_at` is taken as given, null makes it permanent. `expires_at` and `duration_seconds` exclude each other. An entry that expires is removed within two seconds. No body at all is the same as an empty object.',
  params,
  body: TrustRequest,
  answers: {
    200: { description: 'It was trusted already; this is what holds now.', schema: TrustAnswer },
    201: { description: 'It is trusted.', schema: TrustAnswer },
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
});

export const distrustAddress = operation({
  id: 'distrustAddress',
  method: 'DELETE',
  path: '/api/trusted-ips/:ip_address',
  access: 'admin',
  audit: 'distrust',
  tag,
  summary: 'Trust an address or network no longer',
  description: 'What is blocked of it is denied from then on. It takes effect at once, without a reload.',
  params,
  answers: { 200: { description: 'Its entry is gone.', schema: DistrustAnswer } },
  codes: [codes.NotFound, codes.MapFileUnusable],
  examples: { address: { summary: 'An address', path, answer: { ip_address: '192.0.2.10', ...report } } },
});

export const trustedIpOperations = [listTrustedAddresses, getTrustedAddress, trustAddress, distrustAddress] as const;
