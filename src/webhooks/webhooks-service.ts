// Webhooks as the API knows them: who changes one stands in the audit, with where it delivers to, though not with what of
// its URL may be a secret.

import type { Caller } from '../blocking/answers.ts';
import { auditedChange } from '../blocking/write/audit-notes.ts';
import type { WebhookAuthor, WebhookRequest, Webhooks } from './webhooks.ts';

export type WebhooksService = ReturnType<typeof webhooksService>;

export function webhooksService(webhooks: Webhooks) {
  return {
    list: () => webhooks.list(),
    /** Errors: 1100. */
    get: (id: string) => webhooks.get(id),
    /** `secret` of the answer: the one that was made, shown this once; else null. Errors: 409 when there are too many. */
    put: (request: WebhookRequest, caller: Caller) => {
      const { id, url, types, enabled } = request;
      const details = { origin: new URL(url).origin, events: types, enabled };
      return webhooks.put(request, authorOf(caller, 'set_webhook', id, details));
    },
    /** Errors: 1100. */
    remove: (id: string, caller: Caller) => webhooks.remove(id, authorOf(caller, 'remove_webhook', id)),
  };
}

function authorOf(caller: Caller, operation: string, target: string, details?: Record<string, unknown>): WebhookAuthor {
  const about = details === undefined ? { target } : { target, details };
  const { keyName, requestId } = caller;
  return { keyName, requestId, audited: auditedChange(operation, caller, about) };
}
