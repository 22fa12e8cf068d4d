// Webhooks as the API knows them: who changes one stands in the audit, with where it delivers to, though not with what of
// its URL may be a secret.
import type { WebhookAuthor, Webhooks } from '../activity/webhooks.ts';
import type { Caller } from '../blocking/answers.ts';
import { auditedChange } from '../blocking/audit-notes.ts';
import type { WebhooksService } from '../http/services.ts';

export function webhooksService(webhooks: Webhooks): WebhooksService {
  return {
    list: () => webhooks.list(),
    get: (id) => webhooks.get(id),
    put: (request, caller) => {
      const { id, url, types, enabled } = request;
      const details = { origin: new URL(url).origin, events: types, enabled };
      return webhooks.put(request, authorOf(caller, 'set_webhook', id, details));
    },
    remove: (id, caller) => webhooks.remove(id, authorOf(caller, 'remove_webhook', id)),
  };
}

function authorOf(caller: Caller, operation: string, target: string, details?: Record<string, unknown>): WebhookAuthor {
  const about = details === undefined ? { target } : { target, details };
  const { keyName, requestId } = caller;
  return { keyName, requestId, audited: auditedChange(operation, caller, about) };
}
