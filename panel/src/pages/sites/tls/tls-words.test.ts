import { expect, it } from 'vitest';
import type { SiteTlsAnswer } from '../../../api/types.ts';
import { obstacleWords, savedTlsWords, timeWords, wishWords } from './tls-words.ts';

const hsts = { max_age: 31_536_000, include_subdomains: false, preload: false };
const answer: SiteTlsAnswer = {
  domain: 'shop.example',
  redirect: 'auto',
  hsts,
  tls_enabled: true,
  certificate: 'c-aaaaaaaaaa',
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
  expect(wishWords({ redirect: 'off', hsts: null })).toEqual([]);
  const all = { ...hsts, include_subdomains: true, preload: true };
  expect(wishWords({ redirect: 'auto', hsts: all })).toEqual([
    'Plain HTTP is redirected to https.',
    'HSTS for 1 year, with subdomains, preload.',
  ]);
  expect(wishWords({ redirect: 'off', hsts: { ...hsts, max_age: 0 } })).toEqual(['HSTS: browsers forget it.']);
});

it('never says that something is in force before it is', () => {
  const waiting = { ...answer, in_force: false, reason: 'there is no certificate for shop.example' };
  expect(obstacleWords(answer)).toBeNull();
  expect(obstacleWords(waiting)).toBe('Not in force: there is no certificate for shop.example.');
  expect(savedTlsWords(answer)).toMatchObject({ tone: 'good' });
  expect(savedTlsWords(waiting)).toMatchObject({ tone: 'warn', words: expect.stringContaining('Not in force: there') });
  const unread = {
    ...answer,
    redirect: 'off',
    hsts: null,
    runtime_updated: false,
    reason: 'worker 7: no answer',
  } as const;
  expect(savedTlsWords(unread)).toMatchObject({ tone: 'warn', words: 'Not verified: worker 7: no answer.' });
  const off = { ...answer, redirect: 'off', hsts: null } as const;
  expect(savedTlsWords(off)).toMatchObject({ tone: 'good', words: 'Plain HTTP is answered, and HSTS is not sent.' });
});
