import Type, { type Static } from 'typebox';
import { type Scope, scopes } from '../../domain/scope.ts';
import type { KeyRecord, SessionRecord } from '../services.ts';
import { answer, listOf, StringOrNull, Time, TimeOrNull } from './common.ts';

export const keyNameOptions = {
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'a name of 1 to 64 letters, digits, points, dashes and underscores, beginning with a letter or digit',
};

export const KeyBody = Type.Object(
  {
    name: Type.String(keyNameOptions),
    scopes: Type.Optional(
      Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: scopes, description: `a scope: ${scopes.join(', ')}` }), {
        minItems: 1,
        uniqueItems: true,
        description: `a list of different scopes of ${scopes.join(', ')}`,
      }),
    ),
    expires_at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'a time with its zone such as 2030-01-31T12:00:00Z, or null for never',
      }),
    ),
  },
  { additionalProperties: false, title: 'KeyRequest', description: 'a JSON object with name' },
);
export type KeyBody = Static<typeof KeyBody>;

export const keyParameter = Type.Object({ name: Type.String(keyNameOptions) });

const keyFields = {
  name: Type.String(),
  scopes: listOf(Type.Unsafe<Scope>({ type: 'string', enum: scopes })),
  created_at: Time,
  expires_at: TimeOrNull,
  revoked_at: TimeOrNull,
  last_used_at: TimeOrNull,
};
export const KeySchema = answer<KeyRecord>('Key')(keyFields);
export const KeysSchema = answer<{ readonly items: readonly KeyRecord[] }>('Keys')({ items: listOf(KeySchema) });
export const NewKeySchema = answer<KeyRecord & { readonly key: string }>('NewKey')({
  ...keyFields,
  key: Type.String(),
});
const sessionFields = {
  name: Type.String(),
  scopes: keyFields.scopes,
  expires_at: TimeOrNull,
  client_address: StringOrNull,
  trustable_address: StringOrNull,
  session_ends_at: TimeOrNull,
};
export const SessionSchema = answer<SessionRecord>('Session')(sessionFields);
export const NewSessionSchema = answer<SessionRecord & { readonly token: string }>('NewSession')({
  ...sessionFields,
  token: Type.String(),
});
export const EndedSessionSchema = answer<{ readonly name: string }>('EndedSession')({ name: Type.String() });
