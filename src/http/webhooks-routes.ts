import { parseWebhookSecret } from '../domain/webhook-secret.ts';
import { parseWebhookUrl } from '../domain/webhook-url.ts';
import type { FieldError } from '../errors/service-error.ts';
import type { TypedApp } from './app.ts';
import { unknownTypes } from './event-types.ts';
import { refusedFields } from './refusals.ts';
import { callerOf } from './request-context.ts';
import {
  WebhookAnswerSchema,
  WebhookBody,
  WebhookRemovedSchema,
  WebhookSchema,
  WebhooksSchema,
  webhookParameter,
} from './schemas/webhooks.ts';
import type { Services } from './services.ts';

export function webhooksRoutes(app: TypedApp, { webhooks, events }: Services): void {
  const params = webhookParameter;

  app.get('/api/webhooks', { schema: { response: { 200: WebhooksSchema } } }, async () => ({
    items: await webhooks.list(),
  }));

  app.get('/api/webhooks/:id', { schema: { params, response: { 200: WebhookSchema } } }, async (request) =>
    webhooks.get(request.params.id),
  );

  app.put(
    '/api/webhooks/:id',
    { schema: { params, body: WebhookBody, response: { 200: WebhookAnswerSchema, 201: WebhookAnswerSchema } } },
    async (request, reply) => {
      const { id } = request.params;
      const { created, answer } = await webhooks.put({ id, ...readHook(request.body) }, callerOf(request));
      return reply.code(created ? 201 : 200).send(answer);
    },
  );

  app.delete('/api/webhooks/:id', { schema: { params, response: { 200: WebhookRemovedSchema } } }, async (request) =>
    webhooks.remove(request.params.id, callerOf(request)),
  );

  function readHook(body: WebhookBody) {
    const { events: types = null, secret, enabled = true } = body;
    const fields: FieldError[] = [];
    const url = parseWebhookUrl(body.url);
    if (!url.ok) fields.push({ name: 'url', description: url.why });
    const read = secret === undefined ? null : parseWebhookSecret(secret);
    if (read?.ok === false) fields.push({ name: 'secret', description: read.why });
    if (types !== null && unknownTypes(types, events))
      fields.push({ name: 'events', description: `must be a list of ${events.types().join(', ')}` });
    if (!url.ok || fields.length > 0) throw refusedFields(fields);
    return { url: url.value, types, secret, enabled };
  }
}
