import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { Address4, Address6 } from 'ip-address';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../testkit/any-text.ts';
import { type IpEntry, mapLine, parseIp } from './ip.ts';

const entryOf = (text: string): IpEntry => {
  const parse = parseIp(text);
  if (!parse.ok) throw new Error(parse.why);
  return parse.entry;
};
const whyNot = (text: string): string => {
  const parse = parseIp(text);
  if (parse.ok) throw new Error(`${text} was taken as ${parse.entry.text}`);
  return parse.why;
};

const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
const groups = fc.array(group, { minLength: 8, maxLength: 8 });

/** One of the many spellings of eight groups: letter case, leading zeros, `::` anywhere it fits, a dotted tail. */
const spelling = fc
  .record({ groups, upper: fc.boolean(), padded: fc.boolean(), gapAt: fc.nat(7), gap: fc.nat(8), dotted: fc.boolean() })
  .map(({ groups, upper, padded, gapAt, gap, dotted }) => {
    const parts = groups.map((value) => value.toString(16).padStart(padded ? 4 : 1, '0'));
    if (dotted)
      parts.splice(
        6,
        2,
        groups
          .slice(6)
          .map((value) => `${value >> 8}.${value & 255}`)
          .join('.'),
      );
    const zeros = groups.slice(0, dotted ? 6 : 8);
    let end = gapAt;
    while (end < zeros.length && zeros[end] === 0 && end - gapAt < gap) end++;
    const text = end > gapAt ? `${parts.slice(0, gapAt).join(':')}::${parts.slice(end).join(':')}` : parts.join(':');
    return upper ? text.toUpperCase() : text;
  });

describe('parseIp gives one canonical form', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1', 4, 32],
    ['192.0.2.0/24', '192.0.2.0/24', 4, 24],
    ['192.0.2.1/32', '192.0.2.1', 4, 32],
    ['0.0.0.0', '0.0.0.0', 4, 32],
    ['128.0.0.0/1', '128.0.0.0/1', 4, 1],
    ['255.255.255.255', '255.255.255.255', 4, 32],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', 6, 128],
    ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1', 6, 128],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1', 6, 128],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3', 6, 128],
    ['2001:db8::/32', '2001:db8::/32', 6, 32],
    ['2001:db8::1/128', '2001:db8::1', 6, 128],
    ['::', '::', 6, 128],
    ['::1', '::1', 6, 128],
    ['1::', '1::', 6, 128],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221', 6, 128],
    ['::1.2.3.4', '::102:304', 6, 128],
    ['::ffff:1.2.3.4', '1.2.3.4', 4, 32],
    ['::FFFF:102:304', '1.2.3.4', 4, 32],
    ['::ffff:1.2.3.0/120', '1.2.3.0/24', 4, 24],
    ['::ffff:1.2.3.4/128', '1.2.3.4', 4, 32],
    ['::ffff:128.0.0.0/97', '128.0.0.0/1', 4, 1],
    ['0000:0000:0000:0000:0000:ffff:255.255.255.255/128', '255.255.255.255', 4, 32],
    ['8000::/1', '8000::/1', 6, 1],
    ['::/97', '::/97', 6, 97],
    ['::fffe:0:0/96', '::fffe:0:0/96', 6, 96],
  ])('parses %s as %s', (text, canonical, family, prefix) => {
    expect(entryOf(text)).toMatchObject({ text: canonical, family, prefix });
  });

  it('stores IPv4 as ::ffff:a.b.c.d in its words', () => {
    expect(entryOf('192.0.2.1').words).toEqual([0, 0, 0xffff, 0xc0000201]);
    expect(entryOf('2001:db8::ffff:ffff').words).toEqual([0x20010db8, 0, 0, 0xffffffff]);
  });

  it('a map line has the value 1', () => {
    expect(mapLine(entryOf('2001:DB8::/32').text)).toBe('2001:db8::/32 1');
  });

  it('parses its own canonical form as itself', () => {
    fc.assert(
      fc.property(spelling, fc.integer({ min: 1, max: 128 }), (address, prefix) => {
        const parse = parseIp(`${address}/${prefix}`);
        if (parse.ok) expect(entryOf(parse.entry.text)).toEqual(parse.entry);
      }),
    );
  });

  it('the parser agrees with ipaddr.js and ip-address on every spelling of an IPv6 address', () => {
    fc.assert(
      fc.property(spelling, (text) => {
        fc.pre(isIPv6(text));
        const { text: canonical, words } = entryOf(text);
        const another = new Address6(text);
        if (!another.is4()) expect(BigInt(`0x${hex(words)}`)).toBe(another.bigInt());
        // ipaddr.js 2.5 takes the old ::a.b.c.d for ::ffff:a.b.c.d.
        fc.pre(!/^[0:]+:[0-9]+\./.test(text));
        const other = ipaddr.IPv6.parse(text);
        const mapped = other.isIPv4MappedAddress();
        expect(canonical).toBe(mapped ? other.toIPv4Address().toString() : other.toRFC5952String());
        if (!mapped) expect(canonical).toBe(another.correctForm());
      }),
      { numRuns: 2000 },
    );
  });

  it('the parser agrees with ipaddr.js and ip-address on IPv4 addresses', () => {
    fc.assert(
      fc.property(uint32, (address) => {
        const text = Address4.fromInteger(address).correctForm();
        expect(entryOf(text)).toMatchObject({ text, words: [0, 0, 0xffff, address] });
        expect(ipaddr.IPv4.parse(text).toString()).toBe(text);
      }),
    );
  });

  it('the parser agrees with ip-address on the first address of a network, and suggests it for host bits', () => {
    fc.assert(
      fc.property(uint32, fc.integer({ min: 1, max: 32 }), (address, prefix) => {
        const text = `${Address4.fromInteger(address).correctForm()}/${prefix}`;
        const start = new Address4(text).startAddress().correctForm();
        const network = prefix === 32 ? start : `${start}/${prefix}`;
        const parse = parseIp(text);
        if (parse.ok) expect(parse.entry.text).toBe(network);
        else expect(parse.why).toBe(`${text} has host bits set; did you mean ${network}?`);
        expect(parse.ok).toBe(text.startsWith(`${start}/`));
      }),
    );
  });

  it('the parser agrees with ipaddr.js on the first address of an IPv6 network', () => {
    fc.assert(
      fc.property(spelling, fc.integer({ min: 1, max: 128 }), (address, prefix) => {
        fc.pre(isIPv6(address));
        const start = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${prefix}`);
        fc.pre(!start.isIPv4MappedAddress() && !(prefix <= 96 && ipaddr.IPv6.parse('::ffff:0:0').match(start, prefix)));
        const network = prefix === 128 ? start.toRFC5952String() : `${start.toRFC5952String()}/${prefix}`;
        const parse = parseIp(`${address}/${prefix}`);
        if (parse.ok) expect(parse.entry.text).toBe(network);
        else expect(parse.why).toContain(`did you mean ${network}?`);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('parseIp refuses and says what to write instead', () => {
  it.each([
    ['', 'an empty text is not an IP address; give an IPv4 or IPv6 address or network'],
    [' 1.2.3.4', '" 1.2.3.4" has whitespace around it; did you mean 1.2.3.4?'],
    ['1.2.3.4\n', '"1.2.3.4\\n" has whitespace around it; did you mean 1.2.3.4?'],
    ['1.2.3.4 1', '"1.2.3.4 1" contains whitespace'],
    ['1.2.3.4\n1.2.3.5', '"1.2.3.4\\n1.2.3.5" has characters that are not printable ASCII'],
    ['1.2.3.4\u0000', 'not printable ASCII'],
    ['1.2.3.４', '"1.2.3.\\uff14" has characters that are not printable ASCII'],
    ['10.0.0.1/8', '10.0.0.1/8 has host bits set; did you mean 10.0.0.0/8?'],
    ['2001:db8::1/64', '2001:db8::1/64 has host bits set; did you mean 2001:db8::/64?'],
    ['::ffff:1.2.3.4/120', '::ffff:1.2.3.4/120 has host bits set; did you mean 1.2.3.0/24?'],
    ['0.0.0.0/0', 'every IPv4 address'],
    ['1.2.3.4/0', 'every IPv4 address'],
    ['::/0', 'every address'],
    ['::ffff:0:0/96', 'contains ::ffff:0:0/96, in which HAProxy looks up IPv4 clients too'],
    ['::ffff:1.2.3.4/96', 'contains ::ffff:0:0/96'],
    ['::/64', 'contains ::ffff:0:0/96'],
    ['::1/64', 'contains ::ffff:0:0/96'],
    ['::/1', 'contains ::ffff:0:0/96'],
    ['10.0.0.0/08', 'write a number from 1 to 32 after the slash, without leading zeros'],
    ['10.0.0.0/33', 'from 1 to 32'],
    ['10.0.0.0/', 'from 1 to 32'],
    ['10.0.0.0/+8', 'from 1 to 32'],
    ['10.0.0.0/8/8', 'from 1 to 32'],
    ['10.0.0.0/255.0.0.0', 'from 1 to 32'],
    ['2001:db8::/129', 'from 1 to 128'],
    ['2001:db8::/032', 'from 1 to 128'],
    ['010.0.0.1', '010.0.0.1 has leading zeros'],
    ['1.2.3.00', 'leading zeros'],
    ['::ffff:010.0.0.1', 'leading zeros'],
    ['1.2.3.256', 'each part is at most 255'],
    ['1.2.3', 'write four decimal parts'],
    ['1.2.3.4.5', 'write four decimal parts'],
    ['1', 'write four decimal parts'],
    ['16909060', 'write four decimal parts'],
    ['1..2.3', 'is not an IPv4 address'],
    ['0x7f.1', 'is in hexadecimal'],
    ['0x7f000001', 'is in hexadecimal'],
    ['10/8', 'write four decimal parts'],
    ['fe80::1%eth0', 'zone id, which is local to one machine; did you mean fe80::1?'],
    ['[2001:db8::1]', 'did you mean 2001:db8::1?'],
    ['[2001:db8::1]:443', 'did you mean 2001:db8::1?'],
    ['1.2.3.4:80', '1.2.3.4:80 has a port; did you mean 1.2.3.4?'],
    ['1.2.3.4-1.2.3.9', 'looks like a range'],
    ['1.2.3.4 - 1.2.3.9', 'looks like a range; ranges are not supported'],
    ['1.2.3.4,1.2.3.5', 'looks like a list'],
    ['1::2::3', 'is allowed only once'],
    [':::1', 'two colons'],
    ['1:2:3', 'eight groups'],
    ['2001:dbg::1', 'neither a hexadecimal digit nor a colon'],
    ['example.com', 'looks like a host name'],
    ['localhost', 'looks like a host name'],
    ['/24', 'does not begin with an IP address'],
    ['#1.2.3.4', 'is not an IP address'],
    ['-1.2.3.4', 'looks like a host name'],
  ])('refuses the address %j', (text, why) => {
    expect(whyNot(text)).toContain(why);
  });

  it('a refusal quotes at most 60 characters and no control character', () => {
    const why = whyNot(`\u001b[31m${'9'.repeat(5_000_000)}`);
    expect(why.length).toBeLessThan(260);
    expect(why).toMatch(/^[ -~]*$/);
    expect(why).toContain('\\u001b[31m9999');
  });

  it('the parser never throws, and a refusal is one printable line', () => {
    const anything = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefx:./%[]- \n\u0661'), maxLength: 60 }),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const parse = parseIp(text);
        if (parse.ok) expect(parse.entry.text).toMatch(/^[0-9a-f.:]+(\/[1-9][0-9]{0,2})?$/);
        else expect(parse.why).toMatch(/^[ -~]+$/);
      }),
      { numRuns: 5000 },
    );
  });

  it('the parser accepts as a dotted address exactly what net.isIPv4 accepts', () => {
    const dottedLike = fc.string({ unit: fc.constantFrom(...'0012345.....x '), maxLength: 16 });
    const nearly = fc.array(fc.constantFrom('0', '00', '1', '01', '25', '255', '256', '', '1e1', '999'), {
      minLength: 3,
      maxLength: 5,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          dottedLike,
          nearly.map((parts) => parts.join('.')),
        ),
        (text) => {
          expect(parseIp(text).ok).toBe(isIPv4(text));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('the parser suggests only what it accepts', () => {
    const texts = fc.oneof(
      fc.tuple(spelling, fc.integer({ min: 1, max: 128 })).map(([address, prefix]) => `${address}/${prefix}`),
      spelling.map((address) => `[${address}]:80`),
      spelling.map((address) => `${address}%1`),
      spelling.map((address) => ` ${address}%1 `),
      fc.integer({ min: 0, max: 128 }).map((prefix) => `::ffff:1.2.3.4/${prefix}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parse = parseIp(text);
        const proposal = parse.ok ? undefined : /did you mean (\S+)\?$/.exec(parse.why)?.[1];
        if (proposal !== undefined) expect(parseIp(proposal)).toMatchObject({ ok: true });
      }),
      { numRuns: 1000 },
    );
  });
});

function hex(words: readonly number[]): string {
  return words.map((word) => word.toString(16).padStart(8, '0')).join('');
}
