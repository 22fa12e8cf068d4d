import { type Parsed, parsed, refused } from './parsed.ts';

const longest = 2_048;
/** The characters allowed in a URL; all others must be percent-encoded. */
const printable = /^[\x21-\x7e]+$/;

/** The target of a webhook: http or https, without a password. Returned in the form in which it is requested. */
export function parseWebhookUrl(text: string): Parsed<string> {
  if (text.length > longest) return refused(`it is longer than ${longest} characters`);
  if (!printable.test(text)) return refused('it has blanks or non-ASCII characters; percent-encode them');
  if (!URL.canParse(text)) return refused('it is not a URL; write one such as https://hooks.example.com/proxy');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('it begins with neither https: nor http:');
  if (url.username !== '' || url.password !== '')
    return refused('it has a user or a password in it; deliveries are signed, which the receiver can check instead');
  if (url.hash !== '') return refused('it has a fragment (#), which is never sent');
  return parsed(url.href);
}
