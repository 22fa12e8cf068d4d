import { expect, test } from 'vitest';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { concernsOf, trustedEntries } from './concerns.ts';

const trusted = ['192.0.2.9', '198.51.100.0/24', '2001:db8:1::/48'].map((text) => ({ ip_address: text }));
const surroundings = { trusted: trustedEntries(trusted), clientAddress: '203.0.113.5' };

function kinds(text: string, around = surroundings): string[] {
  const parse = parseIp(text);
  if (!parse.ok) throw new Error(parse.why);
  return concernsOf(parse.entry, around).map(({ kind }) => kind);
}

test.each([
  ['203.0.113.77', []],
  ['192.0.2.9', ['trusted']],
  ['198.51.100.7', ['trusted']],
  ['192.0.2.0/24', ['trusted-inside']],
  ['203.0.113.5', ['oneself']],
  ['203.0.113.0/24', ['oneself']],
  ['10.1.0.0/16', []],
  ['10.0.0.0/15', ['very-much']],
  ['2001:db8::/32', ['trusted-inside']],
  ['2001:db8::/31', ['trusted-inside', 'very-much']],
  ['192.0.0.0/8', ['trusted-inside', 'very-much']],
])('%s gives %j to think about', (text, expected) => {
  expect(kinds(text)).toEqual(expected);
});

test('where nobody knows where the page is used from, nothing is said of it', () => {
  expect(kinds('203.0.113.5', { ...surroundings, clientAddress: null as never })).toEqual([]);
});
