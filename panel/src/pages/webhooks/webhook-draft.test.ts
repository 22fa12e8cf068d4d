import { expect, it, test } from 'vitest';
import { parseWebhookSecret } from '../../../../src/domain/webhook-secret.ts';
import { draftOf, isUnencrypted, newSecret, settingsOf, urlFault } from './webhook-draft.ts';

it('sends all settings, and a secret only if one was entered', () => {
  const draft = { ...draftOf(null), id: 'chat', url: ' https://hooks.example.com/x ', types: ['reload.failed'] };
  const everything = { id: 'chat', url: 'https://hooks.example.com/x', enabled: true, events: null, secret: null };
  expect(settingsOf(draft)).toEqual(everything);
  expect(settingsOf({ ...draft, everything: false, secret: ' whsec_x ' })).toEqual({
    ...everything,
    events: ['reload.failed'],
    secret: 'whsec_x',
  });
});

it('validates a URL as the service does', () => {
  expect(urlFault('hooks.example.com')).toMatch(/must be a URL/);
  expect(urlFault('https://me:secret@hooks.example.com/')).toMatch(/user or password/);
  expect(urlFault(' https://hooks.example.com/a ')).toBeNull();
});

test.each([
  ['http://hooks.example.com/', true],
  ['https://hooks.example.com/', false],
  ['http://127.0.0.1:9000/', false],
  ['http://localhost/', false],
  ['nonsense', false],
])('treats %s as unencrypted: %s', (url, open) => {
  expect(isUnencrypted(url)).toBe(open);
});

it('generates unique secrets that the service accepts', () => {
  const secret = newSecret();
  expect(parseWebhookSecret(secret)).toEqual({ ok: true, value: secret });
  expect(newSecret()).not.toBe(secret);
});
