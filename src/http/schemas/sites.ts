import Type, { type Static } from 'typebox';
import type { ServerOptions } from '../../domain/server-options.ts';
import type { SiteServer } from '../../domain/site.ts';
import type { ReloadAnswer, ServerState, SiteAnswer, SiteRecord } from '../services.ts';
import { answer, Count, Duration, listOf, oneOf, PidOrNull, StringOrNull, Texts, Time } from './common.ts';

const MOST_SERVERS = 100;

export const SiteBody = Type.Object(
  {
    servers: Type.Array(
      Type.Object(
        {
          address: Type.String({ description: 'a host name or an IP address' }),
          port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'a whole number from 1 to 65535' }),
          // The closed list of options has a parser of its own, which names what it takes; the document has its form.
          options: Type.Optional(
            Type.Unsafe<object>({
              type: 'object',
              title: 'ServerOptionsRequest',
              description: 'an object of server options',
            }),
          ),
        },
        { additionalProperties: false, title: 'ServerRequest', description: 'an object with address and port' },
      ),
      { minItems: 1, maxItems: MOST_SERVERS, description: `a list of 1 to ${MOST_SERVERS} servers` },
    ),
  },
  { additionalProperties: false, title: 'SiteRequest', description: 'a JSON object with servers' },
);
export type SiteBody = Static<typeof SiteBody>;

/** Of whatever reloads: whether a live configuration of somebody else may be replaced. */
export const ReplaceQuery = Type.Object(
  { replace_configuration: Type.Optional(Type.Boolean({ description: 'true or false' })) },
  { additionalProperties: false },
);

const ServerOptionsSchema = answer<ServerOptions>('ServerOptions')({
  weight: Type.Optional(Type.Integer({ minimum: 0, maximum: 256 })),
  backup: Type.Optional(Type.Boolean()),
  max_connections: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  check: Type.Optional(Type.Boolean()),
  ssl: Type.Optional(oneOf('none', 'verify', 'insecure')),
});

const Port = Type.Integer({ minimum: 1, maximum: 65_535 });

const ServerSchema = answer<SiteServer>('Server')({
  address: Type.String(),
  port: Port,
  options: Type.Optional(ServerOptionsSchema),
});

export const ReloadAnswerSchema = answer<ReloadAnswer>('ReloadAnswer')({
  id: Type.String(),
  status: oneOf('completed'),
  reasons: Texts,
  changed: Type.Boolean(),
  backup: StringOrNull,
  worker_before: PidOrNull,
  worker_after: PidOrNull,
  duration_ms: Duration,
  warnings: Texts,
});

const siteFields = {
  domain: Type.String(),
  servers: listOf(ServerSchema),
  created_at: Time,
  updated_at: Time,
};
export const SiteSchema = answer<SiteRecord>('Site')(siteFields);
export const SitesSchema = answer<{ readonly items: readonly SiteRecord[]; readonly total: number }>('Sites')({
  items: listOf(SiteSchema),
  total: Count,
});
export const SiteAnswerSchema = answer<SiteAnswer>('SiteAnswer')({
  ...siteFields,
  served: Type.Boolean(),
  reload: ReloadAnswerSchema,
});
export const SiteRemovedSchema = answer<{ readonly domain: string; readonly reload: ReloadAnswer }>('SiteRemoved')({
  domain: Type.String(),
  reload: ReloadAnswerSchema,
});

const ServerStateSchema = answer<ServerState>('ServerState')({
  address: Type.String(),
  port: Port,
  status: StringOrNull,
  check: StringOrNull,
  resolved_address: StringOrNull,
});
export const ServerStatesSchema = answer<{ readonly items: readonly ServerState[] }>('ServerStates')({
  items: listOf(ServerStateSchema),
});
