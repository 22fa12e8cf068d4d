import { codes } from '../../errors/catalogue.ts';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';

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
};

export const operations: OperationDocs = {
  'GET /api/audit': {
    id: 'listAudit',
    tag: 'Audit',
    summary: 'List who did what',
    description:
      'What was written last comes first. Every change is in it that was acknowledged: its row is committed with it. Refused requests of a valid key are in it too. A batch, what ended at one time, or a whole set is one row, with counts; `ip_address` finds operations on that address, and groups that name it in `details.ip_addresses`, which are the first twenty of a group. What is further down a list, or came with thousands, it does not find.',
    answers: { 200: { description: 'A page of the audit.' } },
    codes: [codes.InvalidTime, codes.InvalidAddress],
    examples: {
      of_an_address: {
        summary: 'What was done about one address',
        query: { ip_address: '203.0.113.7', limit: 1 },
        answer: { items: [unblock], next_cursor: '812' },
      },
    },
  },
};

export const models: FieldDocs = {
  AuditPage: 'A page of the audit.',
  AuditRecord: 'Who did what, from where, with what outcome.',
};

export const fields: FieldDocs = {
  'AuditRecord.id': 'Counts up in the order of writing.',
  'AuditRecord.at': 'When it was asked for.',
  'AuditRecord.operation':
    '`block`, `unblock`, `batch`, `replace`, `sync`, `trust`, `distrust`, `set_site`, `remove_site`, `reload`, `restore_backup`, `create_key`, `revoke_key`, `set_webhook`, `remove_webhook`, `sign_in`, `sign_out`; by the service itself also `expire`, `expire_trust` and `import_map_file`; `read`: a look that was refused for want of a scope; `refusals` counts more than sixty a minute.',
  'AuditRecord.key': 'The name of the key; null: the service itself.',
  'AuditRecord.source': 'The address of the peer, or `unix`; null: the service itself.',
  'AuditRecord.request_id': 'The id of the request, as in `X-Request-Id`.',
  'AuditRecord.ip_address': 'The address or network, where it is about one.',
  'AuditRecord.target': 'What else it is about: a domain, the name of a key, an id.',
  'AuditRecord.details': 'What was asked for, or what was there before; by the kind of operation.',
  'AuditRecord.outcome':
    '`partly`: a sync whose running map does not match. `unknown`: not answered yet, or the service ended before it was told.',
  'AuditRecord.status': 'The HTTP status of the answer; null: nobody asked, or it is not known.',
  'AuditRecord.code': 'The code of the problem document, where it was one.',
  'AuditRecord.finished_at': 'When it was answered.',
  'AuditRecord.result': 'Counts of the answer, and the id of its reload.',
};
