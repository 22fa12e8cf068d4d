import { expect, test } from 'vitest';
import { matchIn, searchFor, searchWords, textSearchFor } from './search.ts';

test.each([
  ['', { kind: 'all' }],
  ['  ', { kind: 'all' }],
  ['10', { kind: 'address', q: '10' }],
  [' 2001:DB8::/32 ', { kind: 'address', q: '2001:DB8::/32' }],
  ['::', { kind: 'address', q: '::' }],
  ['beef1', { kind: 'address', q: 'beef1' }],
  ['beef', { kind: 'text', text: 'beef' }],
  ['fail2ban', { kind: 'text', text: 'fail2ban' }],
  ['.', { kind: 'text', text: '.' }],
  ['100% spam_', { kind: 'text', text: '100% spam_' }],
  ['port\tscan', { kind: 'text', text: 'port scan' }],
  ['1'.repeat(65), { kind: 'text', text: '1'.repeat(65) }],
  ['ä'.repeat(101), { kind: 'text', text: 'ä'.repeat(100) }],
])('interprets %j', (typed, search) => {
  expect(searchFor(typed)).toEqual(search);
});

test('searches a number in reasons on request', () => {
  expect(textSearchFor(' 2026 ')).toEqual({ kind: 'text', text: '2026' });
  expect(searchWords(textSearchFor('2026'))).toBe('Searching reasons and “Blocked by”');
});

test.each([
  ['10.1', 'entries that start with this text or cover it'],
  ['192.0.2.1', 'entries that start with this text or cover it'],
  ['10.0.0.0/', 'entries that start with this text or cover it'],
  ['10.0.0.0/8', 'entries inside this network or covering it'],
])('says what a search for %s finds', (typed, words) => {
  expect(searchWords(searchFor(typed))).toBe(`Searching addresses: ${words}`);
});

test('finds the position of a match', () => {
  expect(matchIn('SCAN', 'a Port scan')).toEqual({ from: 7, to: 11 });
  expect(matchIn('x', 'a port scan')).toBeNull();
  expect(matchIn('', 'a port scan')).toBeNull();
  // One letter becomes two in lower case: no mark is better than a wrong one.
  expect(matchIn('b', 'İb')).toBeNull();
});
