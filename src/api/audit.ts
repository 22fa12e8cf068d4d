import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { addressBounds } from './changes.ts';
import { operation } from './operation.ts';
import {
  flagOrNull,
  integerOrNull,
  listOf,
  model,
  oneOf,
  pageFields,
  sentTime,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './schema.ts';

const dataOrNull = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description,
  });

const AuditQuery = Type.Object(
  {
    ...pageFields,
    operation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[a-z][a-z_]*$',
        description: 'Only this operation.',
        mustBe: 'the name of an operation, such as block or set_site',
        examples: ['unblock'],
      }),
    ),
    // `_settings` is the key of the settings, a name that no stored key can have.
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^(_settings|[A-Za-z0-9][A-Za-z0-9._-]*)$',
        description: 'Only what this key did, by its name.',
        mustBe: 'the name of a key, or _settings',
        examples: ['fail2ban'],
      }),
    ),
    ip_address: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Only what concerns this address or network.',
        mustBe: 'an address or a network',
        documentedAs: addressBounds,
        examples: ['203.0.113.7'],
      }),
    ),
    since: Type.Optional(timeParameter('Only from this time on.', '2026-11-20T00:00:00Z')),
    until: Type.Optional(timeParameter('Only before this time.', '2026-11-21T00:00:00Z')),
  },
  { additionalProperties: false },
);

export type AuditQuery = Static<typeof AuditQuery>;

function timeParameter(description: string, example: string) {
  return Type.String({
    ...sentTime,
    maxLength: 64,
    description,
    mustBe: 'a time with a time zone such as 2030-01-31T12:00:00Z',
    examples: [example],
  });
}

const AuditRecord = model('AuditRecord', 'Who did what, from where, with which outcome.', {
  id: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Ascends in the order of writing.',
  }),
  at: time('When the request arrived.'),
  operation: text(
    '`block`, `unblock`, `batch`, `replace`, `unblock_selected`, `undo`, `sync`, `trust`, `distrust`, `set_site`, `set_site_tls`, `remove_site`, `set_certificate`, `remove_certificate`, `verify_certificate`, `request_certificate`, `renew_certificate`, `stop_renewal`, `set_upstream`, `remove_upstream`, `reload`, `restore_backup`, `create_key`, `bind_key`, `revoke_key`, `set_source`, `release`, `keep`, `remove_source`, `set_webhook`, `remove_webhook`, `sign_in`, `sign_out`; from the service itself also `expire`, `expire_trust`, `drop_released` and `import_map_file`; `read`: a read operation that was rejected for lack of a scope; `refusals` counts the rejections of one key beyond sixty per minute.',
  ),
  key: textOrNull('The name of the key; null: the service itself.'),
  source: textOrNull('The address of the peer, or `unix`; null: the service itself.'),
  request_id: textOrNull('The id of the request, as in `X-Request-Id`.'),
  ip_address: textOrNull('The address or network of the operation.'),
  target: textOrNull('Another object of the operation: a domain, the name of a key, an id.'),
  details: dataOrNull('What was requested, or what existed before; the fields depend on the operation.'),
  outcome: oneOf(
    ['done', 'partly', 'refused', 'failed', 'unknown'],
    '`partly`: a sync whose running map does not match. `unknown`: not answered yet, or the service ended before the outcome was recorded.',
  ),
  status: integerOrNull(100, 599, 'The HTTP status of the response; null: there was no request, or it is not known.'),
  code: integerOrNull(0, 4_294_967_295, 'The error code; null: no error.'),
  finished_at: timeOrNull('When the response was sent.'),
  runtime_map_updated: flagOrNull('Every live worker, draining workers included, was verified.'),
  runtime_map_failures_total: integerOrNull(0, Number.MAX_SAFE_INTEGER, 'How many such failures there are.'),
  reload_scheduled: flagOrNull('A reload follows automatically and enforces what was not verified.'),
  result: dataOrNull('Counts of the response, and the id of its reload.'),
});
export type AuditRecord = Static<typeof AuditRecord>;

const AuditPage = model('AuditPage', 'A page of the audit log.', {
  items: listOf(AuditRecord, 'The entries.'),
  next_cursor: textOrNull('The `cursor` of the next page; null on the last page.'),
});
export type AuditPage = Static<typeof AuditPage>;

const unblock = {
  id: 812,
  at: '2026-11-20T12:15:02.114Z',
  operation: 'unblock',
  key: 'ann',
  source: '10.0.0.7',
  request_id: 'VnCsa0ic9uYbqVtG',
  ip_address: '203.0.113.7',
  target: null,
  details: { reason: 'ssh', blocked_by: 'fail2ban', blocked_at: '2026-11-20T11:58:40.001Z', expires_at: null },
  outcome: 'done',
  status: 200,
  code: null,
  finished_at: '2026-11-20T12:15:02.117Z',
  runtime_map_updated: true,
  runtime_map_failures_total: 0,
  reload_scheduled: false,
  result: null,
} satisfies AuditRecord;

export const listAudit = operation({
  id: 'listAudit',
  method: 'GET',
  path: '/api/audit',
  access: 'admin',
  audit: null,
  tag: 'Audit',
  summary: 'List the audit log',
  description:
    'Newest first. It contains every acknowledged change, since the row is committed with the change, and the rejected requests of valid keys. A batch, the entries that expired together, and a complete set are one row each, with counts. `ip_address` finds operations on that address, and groups that have it among the first twenty addresses of the group (`details.ip_addresses`); it does not find later elements of a long list.',
  query: AuditQuery,
  answers: { 200: { description: 'A page of the audit log.', schema: AuditPage } },
  codes: [codes.InvalidTime, codes.InvalidAddress],
  examples: {
    of_an_address: {
      summary: 'Operations on one address',
      query: { ip_address: '203.0.113.7', limit: 1 },
      answer: { items: [unblock], next_cursor: '812' },
    },
  },
});

export const auditOperations = [listAudit] as const;
