import { parseWebhookUrl } from '../../../../src/domain/webhook-url.ts';
import type { Webhook } from '../../api/types.ts';
import type { WebhookSettings } from '../../api/webhooks.ts';

interface WebhookDraft {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly everything: boolean;
  readonly types: readonly string[];
  /** Empty: keep the current one; for a new webhook the service generates one. */
  readonly secret: string;
}

export function draftOf(hook: Webhook | null): WebhookDraft {
  if (hook === null) return { id: '', url: '', enabled: true, everything: true, types: [], secret: '' };
  const { id, url, enabled, events } = hook;
  return { id, url, enabled, everything: events === null, types: events ?? [], secret: '' };
}

export function settingsOf({ id, url, enabled, everything, types, secret }: WebhookDraft): WebhookSettings {
  const own = secret.trim();
  return { id, url: url.trim(), enabled, events: everything ? null : types, secret: own === '' ? null : own };
}

export function urlFault(url: string): string | null {
  const parse = parseWebhookUrl(url.trim());
  return parse.ok ? null : parse.why;
}

export function isUnencrypted(url: string): boolean {
  const parse = parseWebhookUrl(url.trim());
  if (!parse.ok) return false;
  const { protocol, hostname } = new URL(parse.value);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}

/** In the form of the Standard Webhooks specification: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}
