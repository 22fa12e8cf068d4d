import { type Parsed, parsed, refused } from './parsed.ts';

const longest = 2_048;
/** The characters allowed in a URL; all others must be percent-encoded. */
const printable = /^[\x21-\x7e]*$/;

/** The target of a webhook: http or https, without a password. Returned in the form in which it is requested. */
export function parseWebhookUrl(text: string): Parsed<string> {
  if (text.length > longest) return refused(`must have at most ${longest} characters`);
  if (!printable.test(text)) return refused('must not contain spaces or non-ASCII characters; percent-encode them');
  if (!URL.canParse(text)) return refused('must be a URL, such as https://hooks.example.com/proxy');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('must start with https:// or http://');
  if (url.username !== '' || url.password !== '')
    return refused('must not contain a user or password; let the receiver check the signature instead');
  if (url.hash !== '') return refused('must not contain a fragment (#), which is never sent');
  return parsed(url.href);
}
