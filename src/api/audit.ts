import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import {
  flagOrNull,
  integerOrNull,
  listOf,
  model,
  oneOf,
  pageFields,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './schema.ts';

/** By the kind of operation; the service owns its form. */
const dataOrNull = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description,
  });

export const AuditQuery = Type.Object(
  {
    ...pageFields,
    operation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[a-z][a-z_]*$',
        mustBe: 'the name of an operation, such as block or set_site',
      }),
    ),
    // `_settings` too, which no stored key can be called.
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^(_settings|[A-Za-z0-9][A-Za-z0-9._-]*)$',
        mustBe: 'the name of a key, or _settings',
      }),
    ),
    ip_address: Type.Optional(Type.String({ maxLength: 64, mustBe: 'an address or a network' })),
    since: Type.Optional(timeParameter('from which on')),
    until: Type.Optional(timeParameter('before which')),
  },
  { additionalProperties: false },
);

export type AuditQuery = Static<typeof AuditQuery>;

function timeParameter(what: string) {
  return Type.String({ maxLength: 64, mustBe: `a time with its zone such as 2030-01-31T12:00:00Z, ${what}` });
}

export const AuditRecord = model('AuditRecord', 'Who did what, from where, with what outcome.', {
  id: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Counts up in the order of writing.',
  }),
  at: time('When it was asked for.'),
  operation: text(
    '`block`, `unblock`, `batch`, `replace`, `sync`, `trust`, `distrust`, `set_site`, `remove_site`, `reload`, `restore_backup`, `create_key`, `revoke_key`, `set_webhook`, `remove_webhook`, `sign_in`, `sign_out`; by the service itself also `expire`, `expire_trust` and `import_map_file`; `read`: a look that was refused for want of a scope; `refusals` counts more than sixty a minute.',
  ),
  key: textOrNull('The name of the key; null: the service itself.'),
  source: textOrNull('The address of the peer, or `unix`; null: the service itself.'),
  request_id: textOrNull('The id of the request, as in `X-Request-Id`.'),
  ip_address: textOrNull('The address or network, where it is about one.'),
  target: textOrNull('What else it is about: a domain, the name of a key, an id.'),
  details: dataOrNull('What was asked for, or what was there before; by the kind of operation.'),
  outcome: oneOf(
    ['done', 'partly', 'refused', 'failed', 'unknown'],
    '`partly`: a sync whose running map does not match. `unknown`: not answered yet, or the service ended before it was told.',
  ),
  status: integerOrNull(100, 599, 'The HTTP status of the answer; null: nobody asked, or it is not known.'),
  code: integerOrNull(0, 4_294_967_295, 'The code of the problem document, where it was one.'),
  finished_at: timeOrNull('When it was answered.'),
  runtime_map_updated: flagOrNull('Every live worker, draining ones too, was seen to be right.'),
  runtime_map_failures_total: integerOrNull(0, Number.MAX_SAFE_INTEGER, 'How many such failures there are.'),
  reload_scheduled: flagOrNull('A reload follows by itself and enforces what was not seen.'),
  result: dataOrNull('Counts of the answer, and the id of its reload.'),
});
export type AuditRecord = Static<typeof AuditRecord>;

const AuditPage = model('AuditPage', 'A page of the audit.', {
  items: listOf(AuditRecord, 'The entries.'),
  next_cursor: textOrNull('Ask for the next page with it; null on the last one.'),
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
  summary: 'List who did what',
  description:
    'What was written last comes first. Every change is in it that was acknowledged: its row is committed with it. Refused requests of a valid key are in it too. A batch, what ended at one time, or a whole set is one row, with counts; `ip_address` finds operations on that address, and groups that name it in `details.ip_addresses`, which are the first twenty of a group. What is further down a list, or came with thousands, it does not find.',
  query: AuditQuery,
  answers: { 200: { description: 'A page of the audit.', schema: AuditPage } },
  codes: [codes.InvalidTime, codes.InvalidAddress],
  examples: {
    of_an_address: {
      summary: 'What was done about one address',
      query: { ip_address: '203.0.113.7', limit: 1 },
      answer: { items: [unblock], next_cursor: '812' },
    },
  },
});

export const auditOperations = [listAudit] as const;
