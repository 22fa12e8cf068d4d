import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import {
  compareEntries,
  containingNetworks,
  covers,
  entryOfShortKey,
  type IpEntry,
  lookupForms,
  parseIp,
  shortKey,
  sortKey,
  sortKeyRange,
} from './ip.ts';
import { holdsEveryIpv4, ipv4Entry, ipv6Entry, maskWord, networkWords } from './ip-entry.ts';

const entryOf = (text: string): IpEntry => {
  const parse = parseIp(text);
  if (!parse.ok) throw new Error(parse.why);
  return parse.entry;
};

// Few distinct bits, so that entries often lie inside one another.
const bits = fc.constantFrom(0, 0x80000000, 0xc0000000, 0xffffffff, 0x01020304, 0x20020102);
const ipv4 = fc
  .tuple(bits, fc.integer({ min: 1, max: 32 }))
  .map(([address, prefix]) => ipv4Entry((address & maskWord(prefix)) >>> 0, prefix));
const ipv6 = fc
  .tuple(fc.tuple(bits, bits, bits, bits), fc.integer({ min: 1, max: 128 }))
  .map(([words, prefix]) => ipv6Entry(networkWords(words, prefix), prefix))
  .filter((entry) => !holdsEveryIpv4(entry.words, entry.prefix));
const anyEntry = fc.oneof(ipv4, ipv6);

describe('sort keys', () => {
  it('sort keys put a wider network before its contents and IPv4 at ::ffff:a.b.c.d', () => {
    const texts = ['::1', '0.0.0.0', '1.0.0.0/8', '1.0.0.0/16', '1.0.0.0', '1.0.0.1', '255.255.255.255', '::1:0:0:0'];
    const sorted = texts
      .map((text) => sortKey(entryOf(text)))
      .reverse()
      .sort(Buffer.compare);
    expect(sorted).toEqual(texts.map((text) => sortKey(entryOf(text))));
    expect(sortKey(entryOf('1.2.3.0/24')).toString('hex')).toBe(`${'00'.repeat(10)}ffff0102030078`);
  });

  it('sort keys have the order in which entries are compared', () => {
    const ips = ['0.0.0.1', '10.0.0.0', '10.0.0.0/8', '10.0.0.0/9', '128.0.0.0/1', '255.255.255.255', '::2', '1::'];
    const entries = [...ips, '2001:db8::/32', '2001:db8::', 'ffff::'].map(entryOf);
    const byKey = entries.toSorted((a, b) => sortKey(a).compare(sortKey(b)));
    expect(entries.toSorted(compareEntries)).toEqual(byKey);
    expect(compareEntries(entryOf('1.2.3.4'), entryOf('1.2.3.4'))).toBe(0);
    fc.assert(
      fc.property(anyEntry, anyEntry, (a, b) => {
        expect(Math.sign(compareEntries(a, b))).toBe(sortKey(a).compare(sortKey(b)));
      }),
    );
  });

  it('short keys name the same entry in fewer bytes', () => {
    const lengths = { '1.2.3.4': 4, '1.2.3.0/24': 5, '::1': 16, '2001:db8::/32': 17, '0.0.0.0': 4, '128.0.0.0/1': 5 };
    for (const [text, length] of Object.entries(lengths)) expect(shortKey(entryOf(text))).toHaveLength(length);
    fc.assert(
      fc.property(anyEntry, anyEntry, (a, b) => {
        expect(entryOfShortKey(shortKey(a))).toEqual(a);
        expect(shortKey(a).equals(shortKey(b))).toBe(a.text === b.text);
      }),
    );
    for (const length of [0, 3, 6, 15, 18]) expect(() => entryOfShortKey(Buffer.alloc(length))).toThrow(RangeError);
  });

  it('sort keys are equal only for equal entries', () => {
    fc.assert(
      fc.property(anyEntry, anyEntry, (a, b) => {
        expect(sortKey(a).equals(sortKey(b))).toBe(a.text === b.text);
      }),
    );
  });

  it.each([
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '10.0.0.0', true],
    ['10.0.0.0/8', '10.0.0.0/7', false],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['2001:db8::/32', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ['2001:db8::/32', '2001:db9::', false],
  ])('the range of sort keys of %s includes %s: %s', (outer, inner, expected) => {
    const { first, last } = sortKeyRange(entryOf(outer));
    const key = sortKey(entryOf(inner));
    expect(first.compare(key) <= 0 && key.compare(last) <= 0).toBe(expected);
  });

  it('sort keys are in the range of an entry exactly when it covers them', () => {
    fc.assert(
      fc.property(anyEntry, anyEntry, (outer, inner) => {
        const { first, last } = sortKeyRange(outer);
        const key = sortKey(inner);
        const inside = first.compare(key) <= 0 && key.compare(last) <= 0;
        expect(inside).toBe(covers(outer, inner));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('covers', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/16', '10.0.0.0/8', false],
    ['2001:db8::/32', '2001:db8:ffff::/48', true],
    ['2001:db8::/32', '2001:db9::', false],
    ['::/97', '1.2.3.4', false],
  ])('%s covers %s: %s', (outer, inner, expected) => {
    expect(covers(entryOf(outer), entryOf(inner))).toBe(expected);
  });

  it('covers agrees with ipaddr.js on an address in a network', () => {
    fc.assert(
      fc.property(ipv6, fc.tuple(bits, bits, bits, bits), (network, words) => {
        const address = ipv6Entry(words, 128);
        const other = ipaddr.IPv6.parse(address.text).match(ipaddr.IPv6.parse(firstOf(network)), network.prefix);
        expect(covers(network, address)).toBe(other);
      }),
    );
  });
});

describe('containingNetworks', () => {
  it('containing networks are listed narrowest first', () => {
    const networks = containingNetworks(entryOf('192.0.2.255'));
    expect(networks).toHaveLength(31);
    expect(networks.slice(0, 3)).toEqual(['192.0.2.254/31', '192.0.2.252/30', '192.0.2.248/29']);
    expect(networks.at(-1)).toBe('128.0.0.0/1');
    expect(containingNetworks(entryOf('0.0.0.0/2'))).toEqual(['0.0.0.0/1']);
    expect(containingNetworks(entryOf('ff02::1'))).toHaveLength(127);
  });

  it('containing networks omit those that the parser refuses', () => {
    expect(containingNetworks(entryOf('::1')).at(-1)).toBe('::/81');
    expect(containingNetworks(entryOf('2001:db8::1')).at(-1)).toBe('2000::/3');
  });

  it('containing networks are all other entries that cover it, each canonical', () => {
    fc.assert(
      fc.property(anyEntry, anyEntry, (outer, inner) => {
        const networks = containingNetworks(inner);
        expect(networks.includes(outer.text)).toBe(covers(outer, inner) && outer.text !== inner.text);
        for (const text of networks) expect(entryOf(text).text).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

// As `get map` of 2.6.12 and 3.0.11 answered with only the IPv4 network in the map.
describe('lookupForms', () => {
  it.each([
    ['1.2.3.4', ['1.2.3.4']],
    ['2001:db8::1', ['2001:db8::1']],
    ['2002:a00:1::1', ['2002:a00:1::1', '10.0.0.1']],
    ['2002:a00:1::/48', ['2002:a00:1::/48', '10.0.0.1']],
    ['2002:a00::/24', ['2002:a00::/24', '10.0.0.0/8']],
    ['2002::/16', ['2002::/16']],
    ['2003:a00:1::1', ['2003:a00:1::1']],
    ['::a00:1', ['::a00:1', '10.0.0.1']],
    ['::1', ['::1', '0.0.0.1']],
    ['::a00:0/104', ['::a00:0/104', '10.0.0.0/8']],
    ['::/96', ['::/96']],
    ['::fffe:a00:1', ['::fffe:a00:1']],
    ['64:ff9b::a00:1', ['64:ff9b::a00:1']],
  ])('HAProxy looks up %s under its entries', (text, expected) => {
    expect(lookupForms(entryOf(text)).map((entry) => entry.text)).toEqual(expected);
  });
});

function firstOf(entry: IpEntry): string {
  return entry.text.split('/')[0] as string;
}
