import { codes } from '../../errors/catalogue.ts';
import type { FieldDocs, OperationDocs } from './operation-doc.ts';

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
};

export const operations: OperationDocs = {
  'GET /api/webhooks': {
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List the webhooks',
    description: 'With how their deliveries go. Secrets are not shown.',
    answers: { 200: { description: 'The webhooks.' } },
    examples: { all: { summary: 'One webhook', answer: { items: [hook] } } },
  },
  'GET /api/webhooks/:id': {
    id: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Look at a webhook',
    description: 'With how its deliveries go. Its secret is not shown.',
    answers: { 200: { description: 'The webhook.' } },
    codes: [codes.NotFound],
    examples: { one: { summary: 'A webhook', path: { id: 'chat' }, answer: hook } },
  },
  'PUT /api/webhooks/:id': {
    id: 'setWebhook',
    tag: 'Webhooks',
    summary: 'Set a webhook',
    description:
      'Makes it, or changes it. It gets what happens from now on: signed as in the Standard Webhooks specification, up to a hundred events a delivery, in order, each at least once, tried again for about a day. Without `secret` a new one is made and shown this once; one that is there stays. At most 20.',
    answers: { 200: { description: 'It was there, and is changed.' }, 201: { description: 'It is new.' } },
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
  },
  'DELETE /api/webhooks/:id': {
    id: 'removeWebhook',
    tag: 'Webhooks',
    summary: 'Remove a webhook',
    description: 'What was not delivered to it yet is not delivered any more.',
    answers: { 200: { description: 'It is removed.' } },
    codes: [codes.NotFound],
    examples: { one: { summary: 'A webhook', path: { id: 'chat' }, answer: { id: 'chat' } } },
  },
};

export const models: FieldDocs = {
  WebhookRequest: 'The webhook to set.',
  Webhook: 'A webhook, without its secret.',
  Webhooks: 'All webhooks.',
  WebhookAnswer: 'The webhook, with its secret when one was made.',
  WebhookRemoved: 'The webhook that is gone.',
};

export const fields: FieldDocs = {
  'WebhookRequest.url': 'Where it is delivered to. No user and no password in it; redirects are not followed.',
  'WebhookRequest.events': 'The types of events it gets; absent or null: all.',
  'WebhookRequest.secret': 'What deliveries are signed with.',
  'WebhookRequest.enabled': 'Absent: true. While it is not, nothing is kept for it.',
  'WebhookRemoved.id': 'Its name.',
  'Webhook.id': 'Its name.',
  'WebhookAnswer.id': 'Its name.',
  '*.url': 'Where it is delivered to.',
  '*.events': 'The types of events it gets; null: all.',
  '*.enabled': 'Whether it gets anything.',
  '*.last_success_at': 'When a delivery was received last; null: never yet.',
  '*.last_error': 'Why a delivery failed last; null: none did.',
  '*.last_error_at': 'When that was.',
  '*.next_attempt_at': 'When the delivery under way is tried again; null: it has not failed.',
  '*.failing_since':
    'Since when the delivery under way fails, or, after one was given up, since then; null: it has not failed.',
  '*.pending': 'How many events wait.',
  '*.missed':
    'How many were given up or dropped; the next delivery tells its receiver so. Dropped ones are of any type.',
  'WebhookAnswer.secret': 'The secret that was made, shown this once; null: it had one, or it was given.',
};
