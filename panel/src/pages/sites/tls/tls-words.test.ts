import { expect, it } from 'vitest';
import type { SiteTlsAnswer } from '../../../api/types.ts';
import { savedTlsWords, timeWords, tlsWords, wishes } from './tls-words.ts';

const hsts = { max_age: 31_536_000, include_subdomains: false, preload: false };
const answer: SiteTlsAnswer = {
  domain: 'shop.example',
  redirect: 'auto',
  hsts,
  tls_enabled: true,
  certificate: 'c-aaaaaaaaaa',
  names_without_certificate: [],
  in_force: true,
  reason: null,
  runtime_updated: true,
  reload_scheduled: false,
};

it.each([
  [31_536_000, '1 year'],
  [63_072_000, '2 years'],
  [86_400 * 30, '30 days'],
  [5_400, '90 minutes'],
  [1, '1 second'],
])('%i s is %s', (seconds, words) => {
  expect(timeWords(seconds)).toBe(words);
});

it('says what is wanted', () => {
  expect(wishes({ redirect: 'off', hsts: null })).toEqual([]);
  const all = { ...hsts, include_subdomains: true, preload: true };
  expect(wishes({ redirect: 'auto', hsts: all })).toEqual([
    'redirect to https',
    'HSTS for 1 year with subdomains and preload',
  ]);
  expect(wishes({ redirect: 'off', hsts: { ...hsts, max_age: 0 } })).toEqual(['browsers forget HSTS']);
});

it('never says that something is in force before it is', () => {
  const waiting = { ...answer, in_force: false, reason: 'there is no certificate for shop.example' };
  const off = { ...answer, redirect: 'off', hsts: null } as const;
  expect(tlsWords(off)).toBeNull();
  expect(tlsWords(answer)).toEqual({ tone: 'good', words: 'In force: redirect to https, HSTS for 1 year' });
  const words = 'Not in force: redirect to https, HSTS for 1 year (there is no certificate for shop.example)';
  expect(tlsWords(waiting)).toEqual({ tone: 'warn', words });
  expect(savedTlsWords(answer)).toMatchObject({ tone: 'good' });
  expect(savedTlsWords(waiting)).toMatchObject({ tone: 'warn', words: `${words}.` });
  const unread = { ...off, runtime_updated: false, reason: 'worker 7: no answer' };
  expect(savedTlsWords(unread)).toMatchObject({ tone: 'warn', words: 'Not verified: worker 7: no answer.' });
  expect(savedTlsWords(off)).toMatchObject({ tone: 'good', words: 'Plain HTTP is answered, and HSTS is not sent.' });
});
