import Type, { type Static } from 'typebox';
import { codes } from '../errors/catalogue.ts';
import { operation } from './operation.ts';
import { count, flag, listOf, model, plainName, requestModel, text, textOrNull, time, timeOrNull } from './schema.ts';

const tag = 'Webhooks';

const params = Type.Object({ id: plainName() });

const eventTypes = { type: ['array', 'null'], items: { type: 'string' } };

const fields = {
  id: text('Its name.'),
  url: text('Where it is delivered to.'),
  events: Type.Unsafe<readonly string[] | null>({
    ...eventTypes,
    description: 'The types of events it gets; null: all.',
  }),
  enabled: flag('Whether it gets anything.'),
  created_at: time('When it was made.'),
  updated_at: time('When it was last changed.'),
  last_success_at: timeOrNull('When a delivery was received last; null: never yet.'),
  last_error: textOrNull('Why a delivery failed last; null: none did.'),
  last_error_at: timeOrNull('When that was.'),
  next_attempt_at: timeOrNull('When the delivery under way is tried again; null: it has not failed.'),
  failing_since: timeOrNull(
    'Since when the delivery under way fails, or, after one was given up, since then; null: it has not failed.',
  ),
  pending: count('How many events wait.'),
  missed: count(
    'How many were given up or dropped; the next delivery tells its receiver so. Dropped ones are of any type.',
  ),
};

export const Webhook = model('Webhook', 'A webhook, without its secret.', fields);
export type Webhook = Static<typeof Webhook>;

const Webhooks = model('Webhooks', 'All webhooks.', { items: listOf(Webhook, 'The entries.') });

export const WebhookAnswer = model('WebhookAnswer', 'The webhook, with its secret when one was made.', {
  ...fields,
  secret: textOrNull('The secret that was made, shown this once; null: it had one, or it was given.'),
});
export type WebhookAnswer = Static<typeof WebhookAnswer>;

const WebhookRemoved = model('WebhookRemoved', 'The webhook that is gone.', { id: text('Its name.') });
export type WebhookRemoved = Static<typeof WebhookRemoved>;

const WebhookRequest = requestModel('WebhookRequest', 'The webhook to set.', 'a JSON object with url', {
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Where it is delivered to. No user and no password in it; redirects are not followed.',
    mustBe: 'a URL of http or https',
  }),
  events: Type.Optional(
    Type.Unsafe<readonly string[] | null>({
      ...eventTypes,
      items: { type: 'string', maxLength: 64 },
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'The types of events it gets; absent or null: all.',
      mustBe: 'a list of different types of events, or null for all',
    }),
  ),
  secret: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'What deliveries are signed with.',
      mustBe: 'a secret such as whsec_ and 32 bytes in base64',
    }),
  ),
  enabled: Type.Optional(
    Type.Boolean({ description: 'Absent: true. While it is not, nothing is kept for it.', mustBe: 'true or false' }),
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
  description: 'With how their deliveries go. Secrets are not shown.',
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
  summary: 'Look at a webhook',
  description: 'With how its deliveries go. Its secret is not shown.',
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
  summary: 'Set a webhook',
  description:
    'Makes it, or changes it. It gets what happens from now on: signed as in the Standard Webhooks specification, up to a hundred events a delivery, in order, each at least once, tried again for about a day. Without `secret` a new one is made and shown this once; one that is there stays. At most 20.',
  params,
  body: WebhookRequest,
  answers: {
    200: { description: 'It was there, and is changed.', schema: WebhookAnswer },
    201: { description: 'It is new.', schema: WebhookAnswer },
  },
  codes: [codes.Conflict],
  examples: {
    new_one: {
      summary: 'A new one, with a secret that is made for it',
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
  description: 'What was not delivered to it yet is not delivered any more.',
  params,
  answers: { 200: { description: 'It is removed.', schema: WebhookRemoved } },
  codes: [codes.NotFound],
  examples: { one: { summary: 'A webhook', path: { id: 'chat' }, answer: { id: 'chat' } } },
});

export const webhookOperations = [listWebhooks, getWebhook, setWebhook, removeWebhook] as const;
