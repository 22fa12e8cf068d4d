import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePem, pemOf } from './pem.ts';

const block = pemOf('CERTIFICATE', Buffer.alloc(100, 7));
const whole = parsePem(block);

test('reads back what it writes, whatever a tool put around and between the lines', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\n  ', ' \t\n'),
      fc.constantFrom('', 'Bag Attributes\n', '\uFEFF', '\n\n'),
      (der, lineEnd, before) => {
        const text = before + pemOf('CERTIFICATE', der).replaceAll('\n', lineEnd);
        const read = parsePem(text);
        expect(read.ok && read.value.map((one) => one.der)).toEqual([Buffer.from(der)]);
      },
    ),
  );
});

test('has lines of 64 characters, ends in a line feed, and contains no empty line', () => {
  expect(block).toMatch(
    /^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/]{64}\n)+[A-Za-z0-9+/=]{1,64}\n-----END CERTIFICATE-----\n$/,
  );
});

test('names the line of each block', () => {
  const read = parsePem(`one\n${block}two\n${block}`);
  expect(read.ok && read.value.map(({ line }) => line)).toEqual([2, 8]);
});

const refusals: readonly [what: string, text: string, why: RegExp][] = [
  ['a block without an end', block.replace(/-----END.*\n/, ''), /line 1 does not end/],
  [
    'a block within another',
    block.replace(/\n-----END/, '\n-----BEGIN CERTIFICATE-----\n-----END'),
    /line 1 does not end before line 5/,
  ],
  ['an end without a block', '-----END CERTIFICATE-----', /line 1 does not begin/],
  [
    'another end',
    block.replace('END CERTIFICATE', 'END PRIVATE KEY'),
    /"?CERTIFICATE"?, but line 5 ends "PRIVATE KEY"/,
  ],
  [
    'a boundary with a fault',
    block.replace('-----BEGIN CERTIFICATE-----', '-----BEGIN CERTIFICATE----'),
    /line 1 is neither/,
  ],
  ['other characters', block.replace('BwcH', 'B*cH'), /line 2, inside a block of PEM, is not base64/],
  ['a line cut off', block.replace(/...\n-----END/, '\n-----END'), /was cut or changed/],
  ['an empty block', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----', /is empty/],
  ['an encrypted key', pemOf('ENCRYPTED PRIVATE KEY', Buffer.alloc(9)), /line 1 is encrypted; decrypt it first/],
  [
    'an encrypted key of the old form',
    '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----',
    /line 1 is encrypted/,
  ],
];

test.each(refusals)('refuses %s', (_, text, why) => {
  expect(whole.ok).toBe(true);
  const read = parsePem(text);
  expect(read.ok ? 'accepted' : read.why).toMatch(why);
});

test('never shows what is between the boundaries', () => {
  const secret = pemOf('PRIVATE KEY', Buffer.from('a very secret key of a test that no message shows'));
  const inside = secret.split('\n')[1]!;
  const cuts = fc.tuple(fc.nat(secret.length), fc.nat(secret.length), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(cuts, ([from, to, text]) => {
      const read = parsePem(secret.slice(0, from) + text + secret.slice(to));
      const why = read.ok ? '' : read.why;
      for (let at = 0; at + 8 <= inside.length; at++) expect(why).not.toContain(inside.slice(at, at + 8));
    }),
  );
});
