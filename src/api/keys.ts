import Type, { type Static } from 'typebox';
import { type Scope, scopes } from '../domain/scope.ts';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import {
  count,
  listOf,
  model,
  plainName,
  requestModel,
  sentTime,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './schema.ts';
import { sourceName, sourceQuery } from './sources.ts';

const tag = 'Keys';

const scopeList = listOf(
  Type.Unsafe<Scope>({ type: 'string', enum: scopes }),
  'What the key may do: `block` includes `read`, and `admin` everything.',
);

const keyFields = {
  name: text('The name of the key in the log and the audit log.'),
  scopes: scopeList,
  created_at: time('When it was created.'),
  expires_at: timeOrNull('When it expires; null: never.'),
  revoked_at: timeOrNull('When it was revoked; null: it is not revoked.'),
  source: textOrNull(
    'The source whose claims its requests change; null: it is not bound to one, and they change `manual`, like a key bound to `manual`.',
  ),
  last_used_at: timeOrNull('When it was last used, accurate to a minute; null: never.'),
};

const Key = model('Key', 'A key, without the key itself.', keyFields);
export type Key = Static<typeof Key>;

const Keys = model('Keys', 'All keys.', { items: listOf(Key, 'The entries.') });

const NewKey = model('NewKey', 'A new key.', {
  ...keyFields,
  key: text('The key itself. It is not stored and cannot be shown again.'),
});
export type NewKey = Static<typeof NewKey>;

const scopeRule = `a scope: ${scopes.join(', ')}`;

const KeyRequest = requestModel('KeyRequest', 'The key to create.', 'a JSON object with name', {
  name: plainName('The name of the key in lists, the log and the audit log.'),
  scopes: Type.Optional(
    Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: scopes, description: scopeRule, mustBe: scopeRule }), {
      minItems: 1,
      uniqueItems: true,
      description: 'What the key may do; absent: `["admin"]`.',
      mustBe: `a list of different scopes of ${scopes.join(', ')}`,
    }),
  ),
  source: sourceQuery(
    'The source whose claims its requests change, and the only one: `fail2ban` includes `fail2ban:sshd`. Absent: it is not bound, and they change `manual`.',
  ),
  expires_at: Type.Optional(
    Type.Unsafe<string | null>({
      ...sentTime,
      type: ['string', 'null'],
      description: 'When it expires; absent or null: never.',
      mustBe: 'a time with a time zone such as 2030-01-31T12:00:00Z, or null for never',
    }),
  ),
});

const sessionFields = {
  scopes: scopeList,
  source: textOrNull('The source that the key is bound to, whose claims its requests change; null: none.'),
  expires_at: timeOrNull('When the key expires; null: never.'),
  client_address: textOrNull('The address that the request came from; null: a unix socket.'),
  trustable_address: textOrNull(
    "The same address, if trusting it trusts this client only, as far as the service can tell. Null for loopback, for an address of the service's machine, and for a request that a proxy forwarded.",
  ),
  session_ends_at: timeOrNull('When the session ends at the latest; null: the request uses a key.'),
};

const Session = model('Session', 'The key of the request.', {
  name: text('The name of the key in the log and the audit log.'),
  ...sessionFields,
});
export type Session = Static<typeof Session>;

const NewSession = model('NewSession', 'A new session.', {
  name: text('The name of the key in the log and the audit log.'),
  ...sessionFields,
  token: text('The bearer token of the session. It is not stored and cannot be shown again.'),
});

const EndedSession = model('EndedSession', 'The session that has ended.', {
  name: text('The name of its key.'),
});

const key = {
  name: 'fail2ban',
  scopes: ['block'],
  created_at: '2026-11-20T12:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  source: 'fail2ban',
  last_used_at: null,
} satisfies Key;

const session = {
  name: 'admin',
  scopes: ['admin'],
  source: null,
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
  summary: 'Get the key of the request',
  description: 'The name of the key, and what it may do. The panel offers only what the key allows.',
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
    'For pages in a browser, which must not store a key. Send the key as the bearer token; then use the `token` of the response like the key. It has the scopes of the key. It ends 30 minutes after its last use, 12 hours after sign-in, at sign-out, and when its key expires or is revoked. A token cannot start another session (403). More than 30 sign-ins with one key within a minute are 503.',
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
    'The token of the request becomes invalid, in every tab, and its event streams end. A request with a key is 404.',
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
  description:
    'All of them, including revoked and expired keys. The keys themselves cannot be shown: only their hashes are stored.',
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
  summary: 'Create a key',
  description:
    'The key itself is shown only once. Without `scopes` the key gets `["admin"]`. A name can be used only once, even if its key was revoked.',
  body: KeyRequest,
  answers: { 201: { description: 'The key.', schema: NewKey } },
  codes: [codes.InvalidTime, codes.NotUnique],
  examples: {
    for_fail2ban: {
      summary: 'A key that may block and unblock',
      body: { name: 'fail2ban', scopes: ['block'], source: 'fail2ban' },
      status: 201,
      answer: { ...key, key: 'pm_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4' },
    },
  },
});

const BoundKey = model('BoundKey', 'The key, and what was moved to its source.', {
  ...keyFields,
  claims_moved: count('How many claims of `manual` that the key had made now belong to the source.'),
});

export const bindKey = operation({
  id: 'bindKey',
  method: 'PUT',
  path: '/api/keys/:name/source',
  access: 'admin',
  audit: 'bind_key',
  tag,
  summary: 'Bind a key to a source',
  description:
    'From now on its requests change the claims of this source only. The claims of `manual` whose `blocked_by` is the name of the key are moved to the source, so that its unblocks still find them; nothing is unblocked. `manual` marks a key that is meant to act like an operator. A move that a crash interrupts is finished by the next start.',
  params: Type.Object({ name: plainName('The name of the key.', 'fail2ban') }),
  body: requestModel('KeySource', 'The source to bind the key to.', 'a JSON object with source', {
    source: sourceName('The name of the source.'),
  }),
  answers: { 200: { description: 'The key is bound.', schema: BoundKey } },
  codes: [codes.NotFound, codes.Conflict],
  examples: {
    fail2ban: {
      summary: 'The key of fail2ban',
      path: { name: 'fail2ban' },
      body: { source: 'fail2ban' },
      answer: { ...key, claims_moved: 12 },
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
    'Takes effect for every request that begins afterwards; a request whose body is still arriving is completed. The admin key that expires last cannot be revoked (409) unless the settings provide a key, since no other one could be created then.',
  params: Type.Object({ name: plainName('The name of the key.', 'fail2ban') }),
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

export const keyOperations = [getSession, signIn, signOut, listKeys, createKey, bindKey, revokeKey] as const;
