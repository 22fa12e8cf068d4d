// Signatures of the Standard Webhooks specification: they prove to a receiver who sent a delivery, and when.
// https://www.standardwebhooks.com
import { createHmac, randomBytes } from 'node:crypto';
import { webhookSecretBytes, webhookSecretPrefix } from '../domain/webhook-secret.ts';

export function newWebhookSecret(): string {
  return webhookSecretPrefix + randomBytes(32).toString('base64');
}

/** @param timestamp seconds since 1970 */
export function webhookSignature(secret: string, id: string, timestamp: number, body: string): string {
  const signed = `${id}.${timestamp}.${body}`;
  return `v1,${createHmac('sha256', webhookSecretBytes(secret)).update(signed).digest('base64')}`;
}
