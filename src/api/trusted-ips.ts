import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import {
  addressText,
  durationField,
  addressParams as params,
  report,
  runtimeReportFields,
  untilField,
} from './changes.ts';
import { operation } from './operation.ts';
import { count, lineOfTextOrNull, listOf, model, requestModel, text, textOrNull, time, timeOrNull } from './schema.ts';

const tag = 'Trusted addresses';

const TrustRequest = requestModel(
  'TrustRequest',
  'The note and expiry of a trusted address.',
  'a JSON object with note, expires_at or duration_seconds, or empty',
  {
    note: Type.Optional(lineOfTextOrNull(0, 500, 'Why it is trusted.')),
    expires_at: untilField('When the trust expires; null: never. Not together with `duration_seconds`.'),
    duration_seconds: durationField,
  },
);
export type TrustRequest = Static<typeof TrustRequest>;

const fields = {
  ip_address: text(addressText),
  note: textOrNull('Why it is trusted; null: not stated.'),
  added_at: time('When it was added.'),
  expires_at: timeOrNull('When the trust expires; null: it is permanent.'),
};

export const TrustedIp = model('TrustedIp', 'A trusted address or network.', fields);
export type TrustedIp = Static<typeof TrustedIp>;

const TrustedIps = model('TrustedIps', 'All trusted entries.', {
  items: listOf(TrustedIp, 'The entries.'),
  total: count('How many there are.'),
});

const TrustAnswer = model('TrustAnswer', 'The entry as it is now, and whether the workers hold it.', {
  ...fields,
  ...runtimeReportFields,
});
export type TrustAnswer = Static<typeof TrustAnswer>;

const DistrustAnswer = model('DistrustAnswer', 'What was removed, and whether the workers no longer hold it.', {
  ip_address: text(addressText),
  ...runtimeReportFields,
});

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
  summary: 'List trusted addresses',
  description: 'All of them, in the order of addresses.',
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
  summary: 'Get one trusted address or network',
  description: 'The entry of exactly this address or network; networks that cover it do not count.',
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
    'A trusted address is never denied, even if it is blocked. Trust takes effect at once, without a reload, and is verified at every worker like a block. An absent `note` keeps the old one, null removes it. Without a time a new entry is permanent and an existing one keeps its expiry; `duration_seconds` takes the later expiry (permanent stays), `expires_at` is applied as given, null makes it permanent. Send only one of `expires_at` and `duration_seconds`. An expired entry is removed within two seconds; a block of exactly this address by `manual` or an agent ends temporary trust earlier. The body is optional.',
  params,
  body: TrustRequest,
  answers: {
    200: { description: 'It was already trusted; this is the entry as it is now.', schema: TrustAnswer },
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
  summary: 'Remove the trust of an address or network',
  description: 'Blocks that the trust overrode take effect again, at once and without a reload.',
  params,
  answers: { 200: { description: 'The entry is removed.', schema: DistrustAnswer } },
  codes: [codes.NotFound, codes.MapFileUnusable],
  examples: { address: { summary: 'An address', path, answer: { ip_address: '192.0.2.10', ...report } } },
});

export const trustedIpOperations = [listTrustedAddresses, getTrustedAddress, trustAddress, distrustAddress] as const;
