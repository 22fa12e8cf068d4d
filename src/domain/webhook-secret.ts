import { type Parsed, parsed, refused } from './parsed.ts';

/** The prefix of every secret of the Standard Webhooks specification. */
export const webhookSecretPrefix = 'whsec_';
/** In bytes; the limits of Standard Webhooks. */
const shortest = 24;
const longest = 64;

/** A secret: the prefix, and 24 to 64 bytes in base64. */
export function parseWebhookSecret(text: string): Parsed<string> {
  const bytes = webhookSecretBytes(text);
  const isCanonical = text === webhookSecretPrefix + bytes.toString('base64');
  if (isCanonical && bytes.length >= shortest && bytes.length <= longest) return parsed(text);
  return refused(`must be ${webhookSecretPrefix} followed by ${shortest} to ${longest} bytes in base64`);
}

export function webhookSecretBytes(secret: string): Buffer {
  return Buffer.from(secret.startsWith(webhookSecretPrefix) ? secret.slice(webhookSecretPrefix.length) : '', 'base64');
}
