import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BulkItem } from '../blocking/blocked-set-service.ts';
import { codes } from '../errors/catalogue.ts';
import { readTextList } from './text-list.ts';

async function read(chunks: readonly Uint8Array[]): Promise<BulkItem[]> {
  const items: BulkItem[] = [];
  for await (const batch of readTextList(streamOf(chunks))) items.push(...batch);
  return items;
}

async function* streamOf(chunks: readonly Uint8Array[]) {
  yield* chunks;
}

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

const summary = (items: readonly BulkItem[]) =>
  items.map((item) => (item.ok ? item.request.entry.text : `${JSON.stringify(item.rejection)}`));

const CASES: readonly (readonly [string, string, readonly string[]])[] = [
  ['one address a line', '192.0.2.1\n192.0.2.2\n', ['192.0.2.1', '192.0.2.2']],
  ['a last line without newline', '192.0.2.1\n10.0.0.0/8', ['192.0.2.1', '10.0.0.0/8']],
  ['CRLF', '192.0.2.1\r\n192.0.2.2\r\n', ['192.0.2.1', '192.0.2.2']],
  ['blank lines', '\n\r\n  \t\n192.0.2.1\n\n', ['192.0.2.1']],
  ['blanks around', ' \t192.0.2.1 \t\n', ['192.0.2.1']],
  ['comment lines', '# one\n; two\n  # three\n192.0.2.1\n', ['192.0.2.1']],
  ['comments after a blank', '192.0.2.1 # bad\n192.0.2.2\t; worse # still\n', ['192.0.2.1', '192.0.2.2']],
  ['comments in any script', '192.0.2.1 # Größe 攻撃 🦊\n', ['192.0.2.1']],
  ['a byte order mark', '\ufeff192.0.2.1\n', ['192.0.2.1']],
  ['canonical forms', '2001:DB8:0:0::1\n::ffff:10.0.0.1\n', ['2001:db8::1', '10.0.0.1']],
  ['nothing', '', []],
];

describe('a text list', () => {
  test.each(CASES)('accepts %s, complete and byte by byte', async (_name, text, wanted) => {
    const bytes = Buffer.from(text);
    expect(summary(await read([bytes]))).toEqual(wanted);
    expect(summary(await read(cut(bytes, 1)))).toEqual(wanted);
  });

  test.each([
    ['192.0.2.1#x', '192.0.2.1#x'],
    ['192.0.2.1 1', '192.0.2.1 1'],
    ['10.0.0.1/8', '10.0.0.1/8'],
    ['１０.0.0.1', '１０.0.0.1'],
    ['192.0.2.1\u0000', '192.0.2.1\u0000'],
    ['192.0.2.1\r\r', '192.0.2.1\r'],
    ['\u00a0192.0.2.1', '\u00a0192.0.2.1'],
    ['x'.repeat(4096), `${'x'.repeat(100)}...`],
  ])('lists the line %j with its number, its value and the reason', async (line, value) => {
    const items = await read([Buffer.from(`# first\n${line}\n192.0.2.9\n`)]);
    expect(items).toEqual([
      { ok: false, rejection: { line: 2, value, why: expect.stringMatching(/./) } },
      expect.objectContaining({ ok: true }),
    ]);
  });

  test('never changes the fields of an existing entry', async () => {
    const [item] = await read([Buffer.from('192.0.2.1')]);
    expect(item).toMatchObject({ request: { expiry: { kind: 'keep' }, force: false } });
    expect(item?.ok === true && item.request.reason).toBeUndefined();
  });

  test.each([
    ['bytes that are no UTF-8', [Buffer.from([0x31, 0xff, 0x0a])], codes.InvalidBody],
    ['a character that does not end', [Buffer.from('192.0.2.1 # '), Buffer.from([0xc3])], codes.InvalidBody],
    ['a line of 4097 bytes', [Buffer.from(`192.0.2.1\n${'x'.repeat(4097)}\n`)], codes.TooLarge],
    ['a line without end', cut(Buffer.alloc(100_000, 0x23), 1000), codes.TooLarge],
    ['4096 characters of two bytes', [Buffer.from('ö'.repeat(4096))], codes.TooLarge],
  ])('fails at %s', async (_name, chunks, code) => {
    await expect(read(chunks)).rejects.toMatchObject({ code });
  });

  test('has the same result however it is split', async () => {
    const line = fc.constantFrom('192.0.2.1', '10.0.0.0/8 # ü', '; 攻', '', 'bad\r', '2001:db8::/32\t#', '🦊');
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        async (lines, end, size) => {
          const bytes = Buffer.from(lines.join(end));
          expect(await read(cut(bytes, size))).toEqual(await read([bytes]));
        },
      ),
    );
  });

  test('is passed on in batches of at most 2,000', async () => {
    const bytes = Buffer.from('192.0.2.1\n'.repeat(4500));
    const sizes: number[] = [];
    for await (const batch of readTextList(streamOf([bytes]))) sizes.push(batch.length);
    expect(sizes).toEqual([2000, 2000, 500]);
  });
});
