import Type, { type Static } from 'typebox';
import { type Scope, scopes } from '../../domain/scope.ts';
import type { KeyRecord } from '../services.ts';
import { listOf, StringOrNull } from './common.ts';

const nameOptions = {
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'a name of 1 to 64 letters, digits, points, dashes and underscores, beginning with a letter or digit',
};

export const KeyBody = Type.Object(
  {
    name: Type.String(nameOptions),
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
  { additionalProperties: false, description: 'a JSON object with name' },
);
export type KeyBody = Static<typeof KeyBody>;

export const keyParameter = Type.Object({ name: Type.String(nameOptions) });

const keyFields = {
  name: Type.String(),
  scopes: Type.Unsafe<readonly Scope[]>({ type: 'array', items: { type: 'string', enum: scopes } }),
  created_at: Type.String(),
  expires_at: StringOrNull,
  revoked_at: StringOrNull,
  last_used_at: StringOrNull,
};
export const KeySchema = Type.Unsafe<KeyRecord>(Type.Object(keyFields));
export const KeysSchema = Type.Object({ items: listOf<KeyRecord>(KeySchema) });
export const NewKeySchema = Type.Unsafe<KeyRecord & { readonly key: string }>(
  Type.Object({ ...keyFields, key: Type.String() }),
);

export const SessionSchema = Type.Object({
  name: Type.String(),
  scopes: keyFields.scopes,
  expires_at: StringOrNull,
});
