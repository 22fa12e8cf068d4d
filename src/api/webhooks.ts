import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import {
  count,
  flag,
  listOf,
  model,
  plainName,
  requestModel,
  secret,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './schema.ts';

const tag = 'Webhooks';

const params = Type.Object({ id: plainName('The name of the webhook.', 'chat') });

const eventTypes = { type: ['array', 'null'], items: { type: 'string' } };

const fields = {
  id: text('Its name.'),
  url: text('The URL of the receiver.'),
  events: Type.Unsafe<readonly string[] | null>({
    ...eventTypes,
    description: 'The event types that are sent; null: all.',
  }),
  enabled: flag('Events are sent.'),
  created_at: time('When it was created.'),
  updated_at: time('When it was last changed.'),
  last_success_at: timeOrNull('When the last delivery succeeded; null: never.'),
  last_error: textOrNull('Why the last failed delivery failed; null: none failed.'),
  last_error_at: timeOrNull('When that delivery failed; null: none failed.'),
  next_attempt_at: timeOrNull('When the current delivery is retried; null: it has not failed.'),
  failing_since: timeOrNull(
    'Since when the current delivery fails, or since when a delivery was abandoned; null: neither.',
  ),
  pending: count('How many events are waiting.'),
  missed: count(
    'How many events were abandoned or dropped, of any type. The next delivery reports it to the receiver.',
  ),
};

const Webhook = model('Webhook', 'A webhook, without its secret.', fields);
export type Webhook = Static<typeof Webhook>;

const Webhooks = model('Webhooks', 'All webhooks.', { items: listOf(Webhook, 'The entries.') });

const WebhookAnswer = model('WebhookAnswer', 'The webhook, with its secret if one was created.', {
  ...fields,
  secret: textOrNull('The created secret, shown only once; null: the webhook had one, or the request set it.'),
});
export type WebhookAnswer = Static<typeof WebhookAnswer>;

const WebhookRemoved = model('WebhookRemoved', 'The removed webhook.', { id: text('Its name.') });

const WebhookRequest = requestModel('WebhookRequest', 'The webhook to create or change.', 'a JSON object with url', {
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'The URL of the receiver, without user and password. Redirects are not followed.',
    mustBe: 'an http or https URL',
  }),
  events: Type.Optional(
    Type.Unsafe<readonly string[] | null>({
      ...eventTypes,
      items: { type: 'string', maxLength: 64 },
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'The event types to send; absent or null: all.',
      mustBe: 'a list of different event types, or null for all',
    }),
  ),
  secret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      ...secret,
      description: 'The secret that signs the deliveries.',
      mustBe: 'whsec_ followed by 24 to 64 bytes in base64',
      documentedAs: { pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$' },
    }),
  ),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'Whether events are sent; absent: true. If false, no events are stored for it.',
      mustBe: 'true or false',
    }),
  ),
});
export type WebhookRequest = Static<typeof WebhookRequest>;

const hook = {
  id: 'chat',
  url: 'https://hooks.example.com/proxy',
  events: ['health.changed', 'reload.failed'],
  enabled: true,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
  last_success_at: null,
  last_error: null,
  last_error_at: null,
  next_attempt_at: null,
  failing_since: null,
  pending: 0,
  missed: 0,
} satisfies Webhook;

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/api/webhooks',
  access: 'admin',
  audit: null,
  tag,
  summary: 'List the webhooks',
  description: 'With the state of their deliveries, without their secrets.',
  answers: { 200: { description: 'The webhooks.', schema: Webhooks } },
  examples: { all: { summary: 'One webhook', answer: { items: [hook] } } },
});

export const getWebhook = operation({
  id: 'getWebhook',
  method: 'GET',
  path: '/api/webhooks/:id',
  access: 'admin',
  audit: null,
  tag,
  summary: 'Get a webhook',
  description: 'With the state of its deliveries, without its secret.',
  params,
  answers: { 200: { description: 'The webhook.', schema: Webhook } },
  codes: [codes.NotFound],
  examples: { one: { summary: 'A webhook', path: { id: 'chat' }, answer: hook } },
});

export const setWebhook = operation({
  id: 'setWebhook',
  method: 'PUT',
  path: '/api/webhooks/:id',
  access: 'admin',
  audit: 'set_webhook',
  tag,
  summary: 'Create or change a webhook',
  description:
    'Events from now on are sent in order, each at least once, up to a hundred per delivery, signed as in the Standard Webhooks specification. A failed delivery is retried for about a day. Without `secret` an existing webhook keeps its secret; for a new webhook one is created and shown only once. At most 20 webhooks.',
  params,
  body: WebhookRequest,
  answers: {
    200: { description: 'The webhook is changed.', schema: WebhookAnswer },
    201: { description: 'The webhook is created.', schema: WebhookAnswer },
  },
  codes: [codes.Conflict],
  examples: {
    new_one: {
      summary: 'A new webhook with a created secret',
      path: { id: 'chat' },
      body: { url: 'https://hooks.example.com/proxy', events: ['health.changed', 'reload.failed'] },
      status: 201,
      answer: { ...hook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
    },
  },
});

export const removeWebhook = operation({
  id: 'removeWebhook',
  method: 'DELETE',
  path: '/api/webhooks/:id',
  access: 'admin',
  audit: 'remove_webhook',
  tag,
  summary: 'Remove a webhook',
  description: 'Events that are still waiting are discarded.',
  params,
  answers: { 200: { description: 'The webhook is removed.', schema: WebhookRemoved } },
  codes: [codes.NotFound],
  examples: { one: { summary: 'A webhook', path: { id: 'chat' }, answer: { id: 'chat' } } },
});

export const webhookOperations = [listWebhooks, getWebhook, setWebhook, removeWebhook] as const;
