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

const session = {
  name: 'admin',
  scopes: ['admin'],
  expires_at: null,
  client_address: '127.0.0.1',
  trustable_address: null,
  session_ends_at: '2026-11-21T00:00:00.000Z',
};

export const operations: OperationDocs = {
  'GET /api/session': {
    id: 'getSession',
    tag: 'Keys',
    summary: 'Whose key this is',
    description: 'The name of the key of the request, and what it may do. The panel offers only that.',
    answers: { 200: { description: 'The key of the request.' } },
    examples: {
      mine: { summary: 'An admin key', answer: { ...session, session_ends_at: null } },
    },
  },
  'POST /api/session': {
    id: 'signIn',
    tag: 'Keys',
    summary: 'Exchange a key for a session token',
    description:
      'For a page in a browser, which must not keep the key itself. Send the key as the bearer token; the `token` of the answer is used like the key afterwards. It has the scopes of the key and ends 30 minutes after its last use, 12 hours after sign-in, at sign-out, and with its key: at once when that is revoked. A token cannot start another session (403). More than 30 sign-ins of one key within a minute are 503.',
    answers: { 201: { description: 'The session has started.' } },
    codes: [codes.Forbidden, codes.TooMuchAtOnce],
    examples: {
      panel: {
        summary: 'With an admin key',
        status: 201,
        answer: { ...session, token: 'pms_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4' },
      },
    },
  },
  'DELETE /api/session': {
    id: 'signOut',
    tag: 'Keys',
    summary: 'End the session',
    description:
      'The token of the request is not valid any more, in any tab; its event streams end. A request with a key is 404.',
    answers: { 200: { description: 'The session has ended.' } },
    codes: [codes.NotFound],
    examples: { mine: { summary: 'The session of the request', answer: { name: 'admin' } } },
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
  NewSession: 'A new session.',
  EndedSession: 'The session that has ended.',
};

export const fields: FieldDocs = {
  'KeyRequest.name': 'How lists and log lines name it.',
  'KeyRequest.scopes': 'What it may do; absent: `["admin"]`.',
  'KeyRequest.expires_at': 'Until when it is valid.',
  'Key.expires_at': 'Until when it is valid; null: for good.',
  'NewKey.expires_at': 'Until when it is valid; null: for good.',
  'Session.expires_at': 'Until when the key is valid; null: for good.',
  'NewSession.expires_at': 'Until when the key is valid; null: for good.',
  '*.client_address': 'Where the request came from; null: over a unix socket.',
  '*.trustable_address':
    'The same, where trusting it trusts this client alone as far as the service can know; null for loopback, an address of the machine itself, and a request that a proxy has passed on.',
  '*.session_ends_at': 'When the session ends at the latest; null: the request has a key and no session.',
  '*.token': 'The bearer token of the session. It is not kept, and cannot be shown again.',
  'Session.name': 'How log lines name it.',
  'NewSession.name': 'How log lines name the key.',
  'EndedSession.name': 'How log lines name its key.',
  'Key.name': 'How log lines name it.',
  'NewKey.name': 'How log lines name it.',
  '*.scopes': 'What it may do; `block` includes `read`, and `admin` everything.',
  '*.revoked_at': 'When it was revoked; null: it was not.',
  '*.last_used_at': 'When it was last used, to within a minute; null: never.',
  '*.key': 'The key itself. It is not kept, and cannot be shown again.',
};
