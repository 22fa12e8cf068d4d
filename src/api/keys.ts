import Type, { type Static } from 'typebox';
import { type Scope, scopes } from '../domain/scope.ts';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import { listOf, model, plainName, requestModel, text, textOrNull, time, timeOrNull } from './schema.ts';

const tag = 'Keys';

const scopeList = listOf(
  Type.Unsafe<Scope>({ type: 'string', enum: scopes }),
  'What it may do; `block` includes `read`, and `admin` everything.',
);

const keyFields = {
  name: text('How log lines name it.'),
  scopes: scopeList,
  created_at: time('When it was made.'),
  expires_at: timeOrNull('Until when it is valid; null: for good.'),
  revoked_at: timeOrNull('When it was revoked; null: it was not.'),
  last_used_at: timeOrNull('When it was last used, to within a minute; null: never.'),
};

export const Key = model('Key', 'A key, without the key itself.', keyFields);
export type Key = Static<typeof Key>;

const Keys = model('Keys', 'All keys.', { items: listOf(Key, 'The entries.') });

const NewKey = model('NewKey', 'A new key.', {
  ...keyFields,
  key: text('The key itself. It is not kept, and cannot be shown again.'),
});
export type NewKey = Static<typeof NewKey>;

const scopeRule = `a scope: ${scopes.join(', ')}`;

const KeyRequest = requestModel('KeyRequest', 'The key to make.', 'a JSON object with name', {
  name: plainName('How lists and log lines name it.'),
  scopes: Type.Optional(
    Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: scopes, description: scopeRule, mustBe: scopeRule }), {
      minItems: 1,
      uniqueItems: true,
      description: 'What it may do; absent: `["admin"]`.',
      mustBe: `a list of different scopes of ${scopes.join(', ')}`,
    }),
  ),
  expires_at: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Until when it is valid.',
      mustBe: 'a time with its zone such as 2030-01-31T12:00:00Z, or null for never',
    }),
  ),
});

const sessionFields = {
  scopes: scopeList,
  expires_at: timeOrNull('Until when the key is valid; null: for good.'),
  client_address: textOrNull('Where the request came from; null: over a unix socket.'),
  trustable_address: textOrNull(
    'The same, where trusting it trusts this client alone as far as the service can know; null for loopback, an address of the machine itself, and a request that a proxy has passed on.',
  ),
  session_ends_at: timeOrNull('When the session ends at the latest; null: the request has a key and no session.'),
};

export const Session = model('Session', 'The key of the request.', {
  name: text('How log lines name it.'),
  ...sessionFields,
});
export type Session = Static<typeof Session>;

const NewSession = model('NewSession', 'A new session.', {
  name: text('How log lines name the key.'),
  ...sessionFields,
  token: text('The bearer token of the session. It is not kept, and cannot be shown again.'),
});

const EndedSession = model('EndedSession', 'The session that has ended.', {
  name: text('How log lines name its key.'),
});

const key = {
  name: 'fail2ban',
  scopes: ['block'],
  created_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
} satisfies Key;

const session = {
  name: 'admin',
  scopes: ['admin'],
  expires_at: null,
  client_address: '127.0.0.1',
  trustable_address: null,
  session_ends_at: '2026-11-21T00:00:00.000Z',
} satisfies Session;

export const getSession = operation({
  id: 'getSession',
  method: 'GET',
  path: '/api/session',
  access: 'read',
  audit: null,
  tag,
  summary: 'Whose key this is',
  description: 'The name of the key of the request, and what it may do. The panel offers only that.',
  answers: { 200: { description: 'The key of the request.', schema: Session } },
  examples: { mine: { summary: 'An admin key', answer: { ...session, session_ends_at: null } } },
});

export const signIn = operation({
  id: 'signIn',
  method: 'POST',
  path: '/api/session',
  access: 'read',
  audit: 'sign_in',
  uncounted: true,
  tag,
  summary: 'Exchange a key for a session token',
  description:
    'For a page in a browser, which must not keep the key itself. Send the key as the bearer token; the `token` of the answer is used like the key afterwards. It has the scopes of the key and ends 30 minutes after its last use, 12 hours after sign-in, at sign-out, and with its key: at once when that is revoked. A token cannot start another session (403). More than 30 sign-ins of one key within a minute are 503.',
  answers: { 201: { description: 'The session has started.', schema: NewSession } },
  codes: [codes.Forbidden, codes.TooMuchAtOnce],
  examples: {
    panel: {
      summary: 'With an admin key',
      status: 201,
      answer: { ...session, token: 'pms_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4' },
    },
  },
});

export const signOut = operation({
  id: 'signOut',
  method: 'DELETE',
  path: '/api/session',
  access: 'read',
  audit: 'sign_out',
  uncounted: true,
  tag,
  summary: 'End the session',
  description:
    'The token of the request is not valid any more, in any tab; its event streams end. A request with a key is 404.',
  answers: { 200: { description: 'The session has ended.', schema: EndedSession } },
  codes: [codes.NotFound],
  examples: { mine: { summary: 'The session of the request', answer: { name: 'admin' } } },
});

export const listKeys = operation({
  id: 'listKeys',
  method: 'GET',
  path: '/api/keys',
  access: 'admin',
  audit: null,
  tag,
  summary: 'List the keys',
  description: 'All of them, revoked and expired ones too. What a key is cannot be shown: only its hash is kept.',
  answers: { 200: { description: 'The keys.', schema: Keys } },
  examples: { all: { summary: 'One key', answer: { items: [{ ...key, last_used_at: '2026-11-20T12:30:00.000Z' }] } } },
});

export const createKey = operation({
  id: 'createKey',
  method: 'POST',
  path: '/api/keys',
  access: 'admin',
  audit: 'create_key',
  tag,
  summary: 'Make a key',
  description:
    'The key itself is shown this once. Without `scopes` it gets `["admin"]`. A name is never used again, not even after its key was revoked.',
  body: KeyRequest,
  answers: { 201: { description: 'The key.', schema: NewKey } },
  codes: [codes.InvalidTime, codes.NotUnique],
  examples: {
    for_fail2ban: {
      summary: 'A key that may block and unblock',
      body: { name: 'fail2ban', scopes: ['block'] },
      status: 201,
      answer: { ...key, key: 'pm_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4' },
    },
  },
});

export const revokeKey = operation({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/api/keys/:name',
  access: 'admin',
  audit: 'revoke_key',
  tag,
  summary: 'Revoke a key',
  description:
    'For every request that begins after it; one whose body is still coming is finished. The admin key that lasts longest cannot be revoked (409) unless the settings give one: nobody would get in to make another.',
  params: Type.Object({ name: plainName() }),
  answers: { 200: { description: 'The key is revoked.', schema: Key } },
  codes: [codes.NotFound, codes.Conflict],
  examples: {
    key: {
      summary: 'A key',
      path: { name: 'fail2ban' },
      answer: { ...key, revoked_at: '2026-11-20T13:00:00.000Z' },
    },
  },
});

export const keyOperations = [getSession, signIn, signOut, listKeys, createKey, revokeKey] as const;
