import Type, { type Static } from 'typebox';
import type { WebhookRecord } from '../services.ts';
import { answer, Count, listOf, StringOrNull, Time, TimeOrNull } from './common.ts';

const idOptions = {
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'a name of 1 to 64 letters, digits, points, dashes and underscores, beginning with a letter or digit',
};

export const webhookParameter = Type.Object({ id: Type.String(idOptions) });

export const WebhookBody = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, description: 'a URL of http or https' }),
    events: Type.Optional(
      Type.Unsafe<readonly string[] | null>({
        type: ['array', 'null'],
        items: { type: 'string', maxLength: 64 },
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'a list of different types of events, or null for all',
      }),
    ),
    secret: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'a secret such as whsec_ and 32 bytes in base64' }),
    ),
    enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: false, title: 'WebhookRequest', description: 'a JSON object with url' },
);
export type WebhookBody = Static<typeof WebhookBody>;

const webhookFields = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Unsafe<readonly string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
  enabled: Type.Boolean(),
  created_at: Time,
  updated_at: Time,
  last_success_at: TimeOrNull,
  last_error: StringOrNull,
  last_error_at: TimeOrNull,
  next_attempt_at: TimeOrNull,
  failing_since: TimeOrNull,
  pending: Count,
  missed: Count,
};
export const WebhookSchema = answer<WebhookRecord>('Webhook')(webhookFields);
export const WebhooksSchema = answer<{ readonly items: readonly WebhookRecord[] }>('Webhooks')({
  items: listOf(WebhookSchema),
});
export const WebhookAnswerSchema = answer<WebhookRecord & { readonly secret: string | null }>('WebhookAnswer')({
  ...webhookFields,
  secret: StringOrNull,
});
export const WebhookRemovedSchema = answer<{ readonly id: string }>('WebhookRemoved')({ id: Type.String() });
