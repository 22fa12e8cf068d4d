import { type Parsed, parsed, refused } from './parsed.ts';

const longest = 2_048;
/** What a URL may have as it stands; everything else is percent-encoded by whoever writes it. */
const printable = /^[\x21-\x7e]+$/;

/** Where a webhook is delivered to: http or https, without a password in it. In the form in which it is called. */
export function parseWebhookUrl(text: string): Parsed<string> {
  if (text.length > longest) return refused(`it is longer than ${longest} characters`);
  if (!printable.test(text)) return refused('it has blanks or other characters than ASCII; percent-encode them');
  if (!URL.canParse(text)) return refused('it is not a URL; write one such as https://hooks.example.com/proxy');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('it begins with neither https: nor http:');
  if (url.username !== '' || url.password !== '')
    return refused('it has a user or a password in it; deliveries are signed, which the receiver can check instead');
  if (url.hash !== '') return refused('it has a fragment (#), which is never sent');
  return parsed(url.href);
}
