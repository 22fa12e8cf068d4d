import { isIP, isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../testkit/any-text.ts';
import * as ours from './node-net.ts';

// The two must agree, or the preview of an import would accept what the service rejects.
const group = fc.oneof(fc.stringMatching(/^[0-9a-fA-F]{0,5}$/), fc.constantFrom('', '0', 'ffff', 'g', '::', '1.2.3.4'));
const nearly = fc
  .tuple(fc.array(group, { minLength: 1, maxLength: 10 }), fc.constantFrom('', '%eth0', '%', '%e th', '/64', ' ', '.'))
  .map(([groups, tail]) => groups.join(':') + tail);
const dotted = fc
  .array(fc.oneof(fc.nat(300).map(String), fc.constantFrom('', '00', '01', 'x')), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('.'));
const mixed = fc.tuple(nearly, dotted).map(([front, back]) => `${front}:${back}`);

test.each([
  ['addresses of either family', fc.oneof(fc.ipV4(), fc.ipV6())],
  ['near misses', fc.oneof(nearly, dotted, mixed)],
  ['any text', fc.string({ unit: anyCharacter, maxLength: 60 })],
])('agrees with Node on %s', (_name, texts) => {
  fc.assert(
    fc.property(texts, (text) => {
      expect([text, ours.isIP(text), ours.isIPv4(text), ours.isIPv6(text)]).toEqual([
        text,
        isIP(text),
        isIPv4(text),
        isIPv6(text),
      ]);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  '::',
  '::1',
  '1::',
  ':',
  ':::',
  '1:::2',
  '1::2::3',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7::',
  '::2:3:4:5:6:7:8',
  '1::2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '::1.2.3.4',
  '::1.2.3.256',
  '1.2.3.4::',
  '::1.2.3.4:5',
  '1:2:3:4:5:6:1.2.3.4',
  '1:2:3:4:5:6:7:1.2.3.4',
  '::ffff:01.2.3.4',
  'fe80::1%eth0',
  'fe80::1%',
  'fe80::1%a%b',
  '12345::',
  ':1',
  '1:',
  '1.2.3.4%a',
  '',
])('agrees with Node on %j', (text) => {
  expect([ours.isIPv4(text), ours.isIPv6(text)]).toEqual([isIPv4(text), isIPv6(text)]);
});
