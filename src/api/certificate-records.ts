// The records of certificates, without their private keys, and the requests.
import Type, { type Static } from 'typebox';
import {
  count,
  flag,
  flagOrNull,
  integerOrNull,
  lineOfText,
  listOf,
  model,
  oneOf,
  orNull,
  pageFields,
  pid,
  queryFlag,
  requestFlag,
  requestModel,
  secret,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from './schema.ts';

/** In characters: twice what HAProxy takes without a reload. */
const longestPem = 32_768;

export const ListQuery = Type.Object(
  {
    ...pageFields,
    state: Type.Optional({
      ...oneOf(['active', 'expired'], 'Only those in this state.'),
      mustBe: 'active or expired',
      examples: ['active'],
    }),
    expires_within: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 11,
        description:
          'Only those that expire within this time, or have expired, written as `90s`, `30m`, `4h`, `7d` or `2w`.',
        mustBe: 'a number and a unit, such as 30d',
        examples: ['30d'],
      }),
    ),
    q: Type.Optional(
      lineOfText(
        1,
        253,
        'A part of a name, an id or the issuer, in upper or lower case. A host name also finds the wildcard above it.',
        'shop.example.com',
      ),
    ),
  },
  { additionalProperties: false },
);

export const ForceQuery = Type.Object(
  {
    force: queryFlag(
      'Also if sites lose their certificate. Clients of these sites then get the certificate of another name.',
    ),
  },
  { additionalProperties: false },
);

export const CertificateRequest = requestModel(
  'CertificateRequest',
  'A certificate with its private key.',
  'a JSON object with certificate',
  {
    certificate: Type.String({
      minLength: 1,
      maxLength: longestPem,
      // It may contain the key.
      ...secret,
      description:
        'The certificate and its chain, in PEM, in any order; a root is left out. It may contain the private key.',
      mustBe: 'a certificate in PEM',
    }),
    private_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: longestPem,
        ...secret,
        description:
          'The private key in PEM, not encrypted: RSA with at least 2048 bits, P-256, P-384 or Ed25519. Absent: it is in `certificate`. No response, log, event or audit row contains it.',
        mustBe: 'a private key in PEM',
      }),
    ),
    allow_incomplete_chain: requestFlag(
      'Accepts a chain that does not lead to a root, for clients that have the intermediate certificates of a private authority. Default false.',
    ),
  },
);

const CertificateWorker = model('CertificateWorker', 'A worker of HAProxy, and whether it holds the certificate.', {
  pid: pid('The process id of the worker.'),
  role: oneOf(['current', 'draining'], '`current`: it accepts new connections; `draining`: it serves existing ones.'),
  holds: flag('It was read back to hold exactly this certificate and its chain.'),
  reason: textOrNull('Why it does not hold it; null if it does.'),
});

const installationFields = {
  files: orNull(
    oneOf(['durable', 'pending'], 'The file.'),
    '`durable`: the file that HAProxy reads at its next start or reload is written; `pending`: it could not be written. After a removal, `durable`: the file with the key is deleted; `pending`: it could not be deleted yet. Null: not known yet.',
  ),
  workers: listOf(CertificateWorker, 'The workers. Empty: not known yet.'),
  runtime_updated: flagOrNull('Every current worker was read back to hold it. Null: not known yet.'),
  reload_scheduled: flag('A reload follows automatically, for a worker that could not be updated.'),
};

const sites = texts('Enabled sites for which HAProxy serves it, the first 100.');
const sitesTotal = count('How many these are.');

const fields = {
  id: text('The id of the certificate. It stays when the certificate is replaced.'),
  names: texts('The host names and wildcards that it is for, in lower case.'),
  other_names: texts('What else it is for and HAProxy does not serve by name, such as addresses.'),
  source: oneOf(['upload', 'acme'], 'Where it is from.'),
  version: count('The version, counted from 1: one more with each replacement.'),
  state: oneOf(['active', 'expired'], '`expired`: clients do not accept it.'),
  served_until: timeOrNull(
    'When the certificate expires that the current workers serve: the date that clients see. It differs from `not_after` while a worker serves an earlier version. Null: no current worker serves it, or it is not known yet.',
  ),
  not_before: time('From when on it is valid.'),
  not_after: time('When it expires.'),
  days_left: count('How many complete days are left until then; 0 if it has expired.'),
  self_signed: flag('It is signed with its own key: only clients on which it is installed accept it.'),
  subject: text('Its subject.'),
  issuer: text('The subject of its issuer.'),
  serial: text('Its serial number, hexadecimal.'),
  key_type: text('The type of its key: `RSA`, `P-256`, `P-384` or `Ed25519`.'),
  key_bits: integerOrNull(1024, 65_536, 'The length of an RSA key in bits; null for other keys.'),
  sha256: text('The SHA-256 fingerprint, hexadecimal in lower case.'),
  chain: texts('The subjects of the chain that HAProxy sends after it, without the root.'),
  warnings: texts('What an operator should know, one sentence each, such as clients that do not accept it.'),
  problem: textOrNull('Why it is not installed, or cannot be after a restart; null: nothing is wrong.'),
  sites,
  sites_total: sitesTotal,
  ...installationFields,
  handshake: orNull(
    oneOf(['seen', 'other', 'not possible', 'failed'], 'The handshake.'),
    'What a TLS connection of the service to HAProxy got: `seen`: exactly this certificate; `other`: another one; `not possible`: the service cannot connect, which is no failure; `failed`: no handshake. Null: not tried yet.',
  ),
  handshake_reason: textOrNull(
    'Why `handshake` is not `seen`, or which addresses could not be tried; null if each showed the certificate, or if none was tried.',
  ),
  created_at: time('When it was first uploaded.'),
  updated_at: time('When it was last replaced.'),
};

export type CertificateRequest = Static<typeof CertificateRequest>;

export const Certificate = model('Certificate', 'A certificate, without its private key.', fields);
export type Certificate = Static<typeof Certificate>;

export const CertificateAnswer = model(
  'CertificateAnswer',
  'The certificate as it is now, and which workers hold it.',
  {
    ...fields,
    changed: flag('False: the same certificate was there already, and was only installed again.'),
  },
);
export type CertificateAnswer = Static<typeof CertificateAnswer>;

export const CertificatePage = model('CertificatePage', 'A page of certificates; those that expire first come first.', {
  items: listOf(Certificate, 'The entries.'),
  total: count('How many match, on all pages.'),
  next_cursor: textOrNull('The `cursor` of the next page; null on the last page.'),
});
export type CertificatePage = Static<typeof CertificatePage>;

export const CertificateRemoved = model(
  'CertificateRemoved',
  'What was removed, and whether the workers still hold it.',
  {
    id: text('The id of the certificate.'),
    names: texts('Its names.'),
    sites: texts('Enabled sites that it was served for, the first 100.'),
    sites_total: sitesTotal,
    ...installationFields,
    workers: listOf(CertificateWorker, 'The workers. Draining ones keep it until they end.'),
    runtime_updated: flagOrNull('Every current worker was read back not to hold it. Null: not known yet.'),
    kept_files: texts(
      'Paths of files `c-….pem.newer` with other private keys of this certificate. The service never deletes them.',
    ),
  },
);
export type CertificateRemoved = Static<typeof CertificateRemoved>;
