import { expect, test } from 'vitest';
import { placeOf, searchFor, searchWords, textSearchFor } from './search.ts';

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
])('%j is understood', (typed, search) => {
  expect(searchFor(typed)).toEqual(search);
});

test('a number is looked for in reasons where somebody says so', () => {
  expect(textSearchFor(' 2026 ')).toEqual({ kind: 'text', text: '2026' });
  expect(searchWords(textSearchFor('2026'))).toBe('Looks in reasons and sources');
});

test('what was found is shown where it stands', () => {
  expect(placeOf('SCAN', 'a Port scan')).toEqual({ from: 7, to: 11 });
  expect(placeOf('x', 'a port scan')).toBeNull();
  expect(placeOf('', 'a port scan')).toBeNull();
  // One letter becomes two: nothing is marked rather than something else.
  expect(placeOf('b', 'İb')).toBeNull();
});
