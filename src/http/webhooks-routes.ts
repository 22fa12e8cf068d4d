import type { FastifyInstance } from 'fastify';
import { getWebhook, listWebhooks, removeWebhook, setWebhook, type WebhookRequest } from '../api/webhooks.ts';
import { parseWebhookSecret } from '../domain/webhook-secret.ts';
import { parseWebhookUrl } from '../domain/webhook-url.ts';
import type { FieldError } from '../errors/service-error.ts';
import { hasUnknownType } from './events-routes.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import type { Services } from './services.ts';

export function webhooksRoutes(app: FastifyInstance, { webhooks, events }: Services): void {
  handle(app, listWebhooks, async () => ({ items: await webhooks.list() }));
  handle(app, getWebhook, ({ params }) => webhooks.get(params.id));
  handle(app, setWebhook, async ({ params, body, caller, answerWith }) => {
    const { created, answer } = await webhooks.put({ id: params.id, ...readHook(body) }, caller);
    answerWith(created ? 201 : 200);
    return answer;
  });
  handle(app, removeWebhook, ({ params, caller }) => webhooks.remove(params.id, caller));

  function readHook(body: WebhookRequest) {
    const { events: types = null, secret, enabled = true } = body;
    const fields: FieldError[] = [];
    const url = parseWebhookUrl(body.url);
    if (!url.ok) fields.push({ name: 'url', description: url.why });
    const read = secret === undefined ? null : parseWebhookSecret(secret);
    if (read?.ok === false) fields.push({ name: 'secret', description: read.why });
    if (types !== null && hasUnknownType(types, events))
      fields.push({ name: 'events', description: `must be a list of ${events.types().join(', ')}` });
    if (!url.ok || fields.length > 0) throw rejectedFields(fields);
    return { url: url.value, types, secret, enabled };
  }
}
