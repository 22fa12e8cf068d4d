import { codes } from '../../errors/catalogue.ts';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';

const key = {
  name: 'fail2ban',
  scopes: ['block'],
  created_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
};

export const operations: OperationDocs = {
  'GET /api/session': {
    id: 'getSession',
    tag: 'Keys',
    summary: 'Whose key this is',
    description: 'The name of the key of the request, and what it may do. The panel offers only that.',
    answers: { 200: { description: 'The key of the request.' } },
    examples: {
      mine: {
        summary: 'An admin key',
        answer: { name: 'admin', scopes: ['admin'], expires_at: null, client_address: '127.0.0.1' },
      },
    },
  },
  'GET /api/keys': {
    id: 'listKeys',
    tag: 'Keys',
    summary: 'List the keys',
    description: 'All of them, revoked and expired ones too. What a key is cannot be shown: only its hash is kept.',
    answers: { 200: { description: 'The keys.' } },
    examples: {
      all: { summary: 'One key', answer: { items: [{ ...key, last_used_at: '2026-11-20T12:30:00.000Z' }] } },
    },
  },
  'POST /api/keys': {
    id: 'createKey',
    tag: 'Keys',
    summary: 'Make a key',
    description:
      'The key itself is shown this once. Without `scopes` it gets `["admin"]`. A name is never used again, not even after its key was revoked.',
    answers: { 201: { description: 'The key.' } },
    codes: [codes.InvalidTime, codes.NotUnique],
    examples: {
      for_fail2ban: {
        summary: 'A key that may block and unblock',
        body: { name: 'fail2ban', scopes: ['block'] },
        status: 201,
        answer: { ...key, key: 'pm_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4' },
      },
    },
  },
  'DELETE /api/keys/:name': {
    id: 'revokeKey',
    tag: 'Keys',
    summary: 'Revoke a key',
    description:
      'For every request that begins after it; one whose body is still coming is finished. The admin key that lasts longest cannot be revoked (409) unless the settings give one: nobody would get in to make another.',
    answers: { 200: { description: 'The key is revoked.' } },
    codes: [codes.NotFound, codes.Conflict],
    examples: {
      key: {
        summary: 'A key',
        path: { name: 'fail2ban' },
        answer: { ...key, revoked_at: '2026-11-20T13:00:00.000Z' },
      },
    },
  },
};

export const models: FieldDocs = {
  KeyRequest: 'The key to make.',
  Key: 'A key, without the key itself.',
  Keys: 'All keys.',
  NewKey: 'A new key.',
  Session: 'The key of the request.',
};

export const fields: FieldDocs = {
  'KeyRequest.name': 'How lists and log lines name it.',
  'KeyRequest.scopes': 'What it may do; absent: `["admin"]`.',
  'KeyRequest.expires_at': 'Until when it is valid.',
  'Key.expires_at': 'Until when it is valid; null: for good.',
  'NewKey.expires_at': 'Until when it is valid; null: for good.',
  'Session.expires_at': 'Until when the key is valid; null: for good.',
  'Session.client_address': 'Where the request came from; null: over a unix socket.',
  'Session.name': 'How log lines name it.',
  'Key.name': 'How log lines name it.',
  'NewKey.name': 'How log lines name it.',
  '*.scopes': 'What it may do; `block` includes `read`, and `admin` everything.',
  '*.revoked_at': 'When it was revoked; null: it was not.',
  '*.last_used_at': 'When it was last used, to within a minute; null: never.',
  '*.key': 'The key itself. It is not kept, and cannot be shown again.',
};
