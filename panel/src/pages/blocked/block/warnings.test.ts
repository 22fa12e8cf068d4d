import { expect, test } from 'vitest';
import { parseIp } from '../../../../../src/domain/ip.ts';
import { trustedEntries, warningsFor } from './warnings.ts';

const trusted = ['192.0.2.9', '198.51.100.0/24', '2001:db8:1::/48'].map((text) => ({ ip_address: text }));
const surroundings = { trusted: trustedEntries(trusted), clientAddress: '203.0.113.5' };

function kinds(text: string, around = surroundings): string[] {
  const parse = parseIp(text);
  if (!parse.ok) throw new Error(parse.why);
  return warningsFor(parse.entry, around).map(({ kind }) => kind);
}

test.each([
  ['203.0.113.77', []],
  ['192.0.2.9', ['trusted']],
  ['198.51.100.7', ['trusted']],
  ['192.0.2.0/24', ['trusted-inside']],
  ['203.0.113.5', ['own-address']],
  ['203.0.113.0/24', ['own-address']],
  ['10.1.0.0/16', []],
  ['10.0.0.0/15', ['large']],
  ['2001:db8::/32', ['trusted-inside']],
  ['2001:db8::/31', ['trusted-inside', 'large']],
  ['192.0.0.0/8', ['trusted-inside', 'large']],
])('warns about %s: %j', (text, expected) => {
  expect(kinds(text)).toEqual(expected);
});

test('says that a block ends the temporary trust of exactly this address', () => {
  const exceptions = new Set(['192.0.2.9', '198.51.100.0/24']);
  expect(kinds('192.0.2.9', { ...surroundings, exceptions } as never)).toEqual(['ends-trust']);
  expect(kinds('198.51.100.7', { ...surroundings, exceptions } as never)).toEqual(['trusted']);
});

test('does not warn about the own address if it is unknown', () => {
  expect(kinds('203.0.113.5', { ...surroundings, clientAddress: null as never })).toEqual([]);
});
