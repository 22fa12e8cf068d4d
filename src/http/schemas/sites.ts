import Type, { type Static } from 'typebox';
import type { ReloadAnswer, ServerState, SiteRecord } from '../services.ts';
import { Count, IntegerOrNull, listOf, openRecord, StringOrNull, Texts } from './common.ts';

const MOST_SERVERS = 100;

export const SiteBody = Type.Object(
  {
    servers: Type.Array(
      Type.Object(
        {
          address: Type.String({ description: 'a host name or an IP address' }),
          port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'a whole number from 1 to 65535' }),
          // The closed list of options has a parser of its own, which names what it takes.
          options: Type.Optional(Type.Unsafe<object>({ type: 'object', description: 'an object of server options' })),
        },
        { additionalProperties: false, description: 'an object with address and port' },
      ),
      { minItems: 1, maxItems: MOST_SERVERS, description: `a list of 1 to ${MOST_SERVERS} servers` },
    ),
  },
  { additionalProperties: false, description: 'a JSON object with servers' },
);
export type SiteBody = Static<typeof SiteBody>;

const serverSchema = Type.Object({
  address: Type.String(),
  port: Type.Integer(),
  options: Type.Optional(openRecord()),
});

export const reloadAnswerFields = {
  id: Type.String(),
  status: Type.Literal('completed'),
  reasons: Texts,
  changed: Type.Boolean(),
  backup: StringOrNull,
  worker_before: IntegerOrNull,
  worker_after: IntegerOrNull,
  duration_ms: Type.Integer(),
  warnings: Texts,
};
export const ReloadAnswerSchema = Type.Unsafe<ReloadAnswer>(Type.Object(reloadAnswerFields));

const siteFields = {
  domain: Type.String(),
  servers: listOf(serverSchema),
  created_at: Type.String(),
  updated_at: Type.String(),
};
export const SiteSchema = Type.Unsafe<SiteRecord>(Type.Object(siteFields));
export const SitesSchema = Type.Object({ items: listOf<SiteRecord>(SiteSchema), total: Count });
export const SiteAnswerSchema = Type.Unsafe<SiteRecord & { readonly reload: ReloadAnswer }>(
  Type.Object({ ...siteFields, reload: ReloadAnswerSchema }),
);
export const SiteRemovedSchema = Type.Unsafe<{ readonly domain: string; readonly reload: ReloadAnswer }>(
  Type.Object({ domain: Type.String(), reload: ReloadAnswerSchema }),
);
export const ServerStatesSchema = Type.Object({ items: listOf<ServerState>(openRecord()) });
