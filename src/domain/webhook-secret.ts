import { type Parsed, parsed, refused } from './parsed.ts';

/** What every secret of the Standard Webhooks specification begins with. */
export const webhookSecretPrefix = 'whsec_';
/** In bytes; the bounds of Standard Webhooks. */
const shortest = 24;
const longest = 64;

/** A secret as it is given out: the prefix, and 24 to 64 bytes in base64. */
export function parseWebhookSecret(text: string): Parsed<string> {
  const bytes = webhookSecretBytes(text);
  const right = text === webhookSecretPrefix + bytes.toString('base64');
  if (right && bytes.length >= shortest && bytes.length <= longest) return parsed(text);
  return refused(`it is not ${webhookSecretPrefix} with ${shortest} to ${longest} bytes in base64 behind it`);
}

export function webhookSecretBytes(secret: string): Buffer {
  return Buffer.from(secret.startsWith(webhookSecretPrefix) ? secret.slice(webhookSecretPrefix.length) : '', 'base64');
}
