import { expect, it } from 'vitest';
import { gapWords, growthText, isComparable, neverMatchedWords, shareWords } from './figure-words.ts';

it.each([
  [
    'while it is not watched for long enough',
    null,
    null,
    12,
    { value: '–', share: null, about: 'Known after 90 days; watched for 12' },
  ],
  ['before the first count', null, null, 90, { value: '–', share: null, about: 'Being counted' }],
  ['while no entry is so old', 0, 0, 90, { value: '–', share: null, about: 'No entry is 90 days old' }],
  ['with none', 0, 7, 90, { value: '0', share: '0\u00a0%', about: 'of all entries' }],
  ['with some', 341_077, 350_000, 90, { value: '341,077', share: '90\u00a0%', about: 'of all entries' }],
])('says how many entries never matched, %s', (_, count, old_enough, watched_days, words) => {
  expect(neverMatchedWords({ days: 90, count, old_enough, watched_days }, 379_126)).toEqual(words);
});

it('compares only with a time that was watched', () => {
  const since = '2026-11-20T12:00:00.000Z';
  const after = (hours: number): number => Date.parse(since) + hours * 3_600_000;
  expect(isComparable({ since, range_seconds: 3_600 }, after(2))).toBe(true);
  expect(isComparable({ since, range_seconds: 3_600 }, after(1.9))).toBe(false);
  expect(isComparable({ since: null, range_seconds: 3_600 }, after(9))).toBe(false);
});

it.each([
  [
    'says that a figure of a time with a gap may be wrong',
    1_234,
    false,
    'A part of the last 24 h is known only as an average, or not at all.',
  ],
  ['says nothing about an exact figure', 1_234, true, null],
  ['says nothing about a figure that is not known', null, false, null],
])('%s', (_, value, complete, words) => {
  expect(gapWords(value, { complete, range_seconds: 86_400 })).toBe(words);
});

it('shows the share of all requests, if both are known', () => {
  expect(shareWords({ denied: 64, requests: 1_000 })).toBe('6.4\u00a0% of 1k requests');
  expect(shareWords({ denied: 0, requests: 0 })).toBe('of 0 requests');
  expect(shareWords({ denied: null, requests: 5 })).toBe('The number of requests is not known');
});

it.each([
  [[], null],
  [[null, 5], null],
  [[null, 5, null, 9], '+\u00a04'],
  [[9, 5], '−\u00a04'],
  [[5, 7, 5], 'as before'],
])('describes the growth of %j: %s', (values, text) => {
  expect(growthText(values)).toBe(text);
});
