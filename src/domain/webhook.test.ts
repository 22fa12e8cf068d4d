import { describe, expect, it } from 'vitest';
import { parseWebhookSecret } from './webhook-secret.ts';
import { parseWebhookUrl } from './webhook-url.ts';

describe('the URL of a webhook', () => {
  it.each([
    ['https://hooks.example.com/a?b=c', 'https://hooks.example.com/a?b=c'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000/'],
    ['HTTPS://EXAMPLE.com', 'https://example.com/'],
    ['http://[::1]:80/x', 'http://[::1]/x'],
  ])('accepts the webhook URL %s', (text, url) => {
    expect(parseWebhookUrl(text)).toEqual({ ok: true, value: url });
  });

  it.each([
    ['', /must be a URL/],
    ['hooks.example.com', /must be a URL/],
    ['file:///etc/passwd', /must start with https/],
    ['javascript:alert(1)', /must start with https/],
    ['https://user@example.com/', /user or password/],
    ['https://user:pass@example.com/', /user or password/],
    ['https://example.com/#x', /fragment/],
    ['https://example.com/a b', /spaces/],
    ['https://example.com/\nHost: x', /spaces/],
    ['https://ex\u00e4mple.com/', /ASCII/],
    [`https://example.com/${'a'.repeat(2_048)}`, /at most 2048/],
  ])('refuses the webhook URL %j', (text, why) => {
    expect(parseWebhookUrl(text)).toMatchObject({ ok: false, why: expect.stringMatching(why) });
  });
});

describe('a secret', () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  it.each([24, 32, 64])('of %i bytes is accepted', (bytes) => {
    expect(parseWebhookSecret(of(bytes))).toEqual({ ok: true, value: of(bytes) });
  });
  it.each([of(23), of(65), 'whsec_', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_####', `${of(24)} `, `x${of(24)}`])(
    '%j is refused',
    (text) => {
      expect(parseWebhookSecret(text)).toMatchObject({ ok: false });
    },
  );
});
