// One delivery: what is sent, and what counts as received.
import type { WebhookBatch, WebhookRow } from '../store/webhooks-store.ts';
import { webhookSignature } from './webhook-signature.ts';

const deadlineMs = 10_000;

interface Delivery {
  /** The same for every attempt. */
  readonly id: string;
  readonly body: string;
}

/** The body of a delivery; `missed`: lost events, reported first. */
export function deliveryOf(hook: WebhookRow, batch: WebhookBatch, missed: number, now: Date): Delivery {
  const id = `msg_${hook.id}_${hook.position + 1}_${batch.end}`;
  const gap = {
    id,
    type: 'gap',
    at: now.toISOString(),
    data: { reason: 'events were dropped; fetch the current state', missed },
  };
  const events = [...(missed > 0 ? [JSON.stringify(gap)] : []), ...batch.events.map(({ json }) => json)];
  // The events are JSON already.
  const body = `{"type":"events","timestamp":${JSON.stringify(now.toISOString())},"data":{"events":[${events.join(',')}]}}`;
  return { id, body };
}

export type SendRequest = (url: string, init: RequestInit) => Promise<Pick<Response, 'status' | 'body'>>;

/**
 * Returns null if the events were received, which only a 2xx within ten seconds proves; else the reason, without any
 * part of the URL, the secret or the response, which is untrusted text.
 * @throws the signal's reason when it was aborted
 */
export async function send(
  hook: WebhookRow,
  { id, body }: Delivery,
  now: Date,
  request: SendRequest,
  signal: AbortSignal,
): Promise<string | null> {
  signal.throwIfAborted();
  const timestamp = Math.floor(now.getTime() / 1_000);
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    const response = await request(hook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'proxy-manager',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': webhookSignature(hook.secret, id, timestamp, body),
      },
      body,
      // Not followed: a redirect would let the receiver choose where events go.
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    });
    // Not read: it may be endless.
    await response.body?.cancel();
    const { status } = response;
    return status >= 200 && status < 300 ? null : `the receiver answered ${status}`;
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return `no answer within ${deadlineMs / 1_000} s`;
    return `not delivered: ${causeOf(error)}`;
  }
}

/** `ECONNREFUSED` and the like. Uses only messages that never contain a part of the URL. */
function causeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
    if (at.message === 'bad port') return 'this port is reserved for another protocol; use another port';
  }
  return error instanceof Error ? error.name : 'unknown';
}
