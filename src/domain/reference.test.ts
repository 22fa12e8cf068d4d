import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseIp } from './ip.ts';
import { parseReference } from './reference.ts';

test.each([
  ['C0000207-6925B0F5-001C', '192.0.2.7', '2025-11-25T13:36:53.000Z', 28],
  [' c0000207-6925b0f5-12345\n', '192.0.2.7', '2025-11-25T13:36:53.000Z', 74_565],
  ['20010DB8000000000000000000000001-6925B0F5-0001', '2001:db8::1', '2025-11-25T13:36:53.000Z', 1],
  ['00000000000000000000FFFFC0000207-6925B0F5-0001', '192.0.2.7', '2025-11-25T13:36:53.000Z', 1],
])('the reference %j is read', (text, client, at, count) => {
  const reference = parseReference(text);
  if (!reference.ok) throw new Error(reference.why);
  expect(reference.value.client.text).toBe(client);
  expect(reference.value.at.toISOString()).toBe(at);
  expect(reference.value.count).toBe(count);
});

test.each([
  '',
  '192.0.2.7',
  'C0000207-6925B0F5',
  'C0000207-6925B0F5-001C-1',
  'G0000207-6925B0F5-001C',
  'C000020-6925B0F5-1',
])('the text %j is no reference, and the error says what is', (text) => {
  const reference = parseReference(text);
  expect(reference).toMatchObject({ ok: false, why: expect.stringContaining('such as C0000207-6925B0F5-001C') });
});

test('any address, second and count is read back', () => {
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');
  const seconds = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), seconds, seconds, (bytes, second, count) => {
      const text = [...bytes].map((byte) => hex(byte, 2)).join('');
      const reference = parseReference(`${text}-${hex(second, 8)}-${hex(count, 4)}`);
      const expected = parseIp([...bytes].join('.'));
      expect(reference).toEqual(
        expected.ok && { ok: true, value: { client: expected.entry, at: new Date(second * 1000), count } },
      );
    }),
  );
});
