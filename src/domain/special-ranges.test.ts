import { describe, expect, it } from 'vitest';
import { parseIp } from './ip.ts';
import { describeWideness, specialOf, widenessOf } from './special-ranges.ts';

const entryOf = (text: string) => {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.entry;
};

describe('widenessOf', () => {
  it.each([
    ['0.0.0.0/1', ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8']],
    ['128.0.0.0/1', ['169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16', '224.0.0.0/4']],
    ['2.0.0.0/7', []],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['100.64.0.0/10', ['100.64.0.0/10']],
    ['100.0.0.0/8', ['100.64.0.0/10']],
    ['127.0.0.0/8', ['127.0.0.0/8']],
    ['169.254.0.0/16', ['169.254.0.0/16']],
    ['172.16.0.0/12', ['172.16.0.0/12']],
    ['192.168.0.0/16', ['192.168.0.0/16']],
    ['192.0.0.0/8', ['192.168.0.0/16']],
    ['224.0.0.0/4', ['224.0.0.0/4']],
    ['8000::/1', ['fc00::/7', 'fe80::/10', 'ff00::/8']],
    ['2000::/15', []],
    ['fc00::/7', ['fc00::/7']],
    ['fe80::/10', ['fe80::/10']],
    ['ff00::/8', ['ff00::/8']],
  ])('%s is wide and contains %j', (text, contains) => {
    expect(widenessOf(entryOf(text))).toEqual({ contains });
  });

  it.each([
    '1.0.0.0/8',
    '10.0.0.0/9',
    '10.1.2.3',
    '127.0.0.1',
    '169.254.0.0/17',
    '172.16.0.0/13',
    '192.168.0.0/17',
    '192.168.1.0/24',
    '224.0.0.0/8',
    '2001::/16',
    '2001:db8::/32',
    'fc00::/16',
    'fe80::/64',
    '::1',
  ])('%s is not wide', (text) => {
    expect(widenessOf(entryOf(text))).toBeNull();
  });
});

describe('specialOf', () => {
  it.each([
    ['0.1.2.3', 'this-network'],
    ['10.1.2.3', 'private'],
    ['10.0.0.0/8', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', null],
    ['192.168.1.0/24', 'private'],
    ['192.169.0.0/16', null],
    ['100.127.255.255', 'shared'],
    ['100.128.0.1', null],
    ['127.0.0.1', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', null],
    ['0.0.0.0/1', null],
    ['203.0.113.7', null],
    ['fd00::1', 'unique-local'],
    ['fe80::1', 'link-local'],
    ['fec0::1', null],
    ['ff02::1', 'multicast'],
    ['2001:db8::1', null],
  ])('the special range of %s is %s', (text, special) => {
    expect(specialOf(entryOf(text))).toBe(special);
  });
});

it('describes why a network is wide', () => {
  const said = (text: string) => describeWideness(entryOf(text), widenessOf(entryOf(text))!);
  expect(said('2.0.0.0/7')).toBe('2.0.0.0/7 is wider than /8');
  expect(said('10.0.0.0/8')).toBe('10.0.0.0/8 is an entire private range');
  expect(said('192.0.0.0/8')).toBe('192.0.0.0/8 contains 192.168.0.0/16');
  expect(said('fc00::/6')).toBe('fc00::/6 is wider than /16 and contains fc00::/7, fe80::/10, ff00::/8');
});
