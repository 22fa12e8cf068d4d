// Random headers in which upstreams and clients name addresses, readable or not.
import fc from 'fast-check';
import type { Headers } from './rendered-proxy.ts';

const addresses = [
  '198.51.100.1',
  '198.51.100.66',
  '198.51.100.77',
  '203.0.113.9',
  '203.0.113.77',
  '10.2.0.1',
  '10.1.0.1',
  '10.9.0.1',
  '100.64.0.1',
  '172.16.0.1',
  '173.245.48.9',
  '192.0.2.7',
  '127.0.0.1',
  '127.0.0.66',
  '2001:db8::1',
  '2001:db8:bad::1',
  '2001:db8:cd::1',
  '2001:db8:ed::1',
  '2001:DB8:BAD:0:0::1',
  '2002:cb00:7109::1',
  '2002:0a02:0001::',
  '::ffff:203.0.113.9',
  '::FFFF:10.2.0.1',
  '::ffff:cb00:7109',
  '::203.0.113.9',
  '::1',
  '::',
] as const;

const unreadable = [
  'unknown',
  '',
  '-',
  '_hidden',
  'fe80::1%eth0',
  '0xcb007109',
  '203.113.9',
  '203.0.113',
  '203.0.113.9.',
  '.203.0.113.9',
  '203.0.113.256',
  '203.0.113.9.1',
  '203.0.113.9 10.2.0.1',
  '203.0.113.9;10.2.0.1',
  '203.0.113.9/32',
  '2001:db8::1/128',
  '2001:db8::1::2',
  '2001:db8:::1',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7',
  '12345::1',
  '::ffff:203.0.113.256',
  '::ffff:203.000.113.009',
  '::203.0.113',
  'for=203.0.113.9',
  '[203.0.113.9',
  '203.0.113.9]',
  '[]',
  '"',
  '\\',
  'localhost',
] as const;

const decorations: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => address,
  (address) => address,
  (address) => `${address}:47011`,
  (address) => `${address}:0`,
  (address) => `${address}:65536`,
  (address) => `${address}:`,
  (address) => `${address}:-`,
  (address) => `${address}:-1`,
  (address) => `${address}:+1`,
  (address) => `${address}:00080`,
  (address) => `${address}:99999999999999999999`,
  (address) => `[${address}]`,
  (address) => `[${address}]:443`,
  (address) => `[${address}]:`,
  (address) => `[${address}]x`,
  (address) => `"${address}"`,
  (address) => `"${address}, 10.2.0.1"`,
  (address) => `"${address}\\", 10.2.0.1"`,
  (address) => `${address}"`,
  (address) => ` \t${address}\t `,
  // Continued lines.
  (address) => `\r\n ${address}`,
  (address) => `${address}\r\n\t`,
  // No blank for HAProxy, although JavaScript trims it.
  (address) => `${address}\u00a0`,
  (address) => address.replace(/\d+/g, (part) => part.padStart(3, '0')),
  (address) => address.toUpperCase(),
];

const value = fc.oneof(
  {
    arbitrary: fc.tuple(fc.constantFrom(...addresses), fc.constantFrom(...decorations)).map(([a, change]) => change(a)),
    weight: 8,
  },
  { arbitrary: fc.constantFrom(...unreadable), weight: 1 },
  { arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789abcdef.:[]", '), maxLength: 12 }), weight: 1 },
);

const line = fc
  .tuple(fc.array(value, { minLength: 1, maxLength: 4 }), fc.constantFrom(', ', ',', ' , ', ',\t'))
  .map(([values, separator]) => values.join(separator));

const walked = ['x-forwarded-for', 'cf-connecting-ip', 'true-client-ip', 'fastly-client-ip', 'x-real-ip'] as const;
const ignored = ['x_forwarded_for', 'X-Forwarded-For', 'forwarded', 'x-client-ip', 'cf_connecting_ip', 'via'] as const;

const header = fc.oneof(
  { arbitrary: fc.tuple(fc.constant('x-forwarded-for'), line), weight: 5 },
  { arbitrary: fc.tuple(fc.constantFrom(...walked), value), weight: 5 },
  { arbitrary: fc.tuple(fc.constantFrom(...walked, ...ignored), line), weight: 2 },
);

export interface HeaderSet {
  readonly peer: string;
  readonly headers: Headers;
}

/** Each peer's header is likely among the headers. */
export function headerSets(peers: readonly string[]): fc.Arbitrary<HeaderSet> {
  return fc.record({ peer: fc.constantFrom(...peers), headers: fc.array(header, { maxLength: 4 }) });
}
