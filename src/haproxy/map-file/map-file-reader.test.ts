import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { temporaryMapPath } from '../../../testkit/haproxy/map-files.ts';
import { emptySlots, headerLine, nowLine, writeHiddenSlot } from './map-file-layout.ts';
import {
  countMapFileLines,
  type MapFileLine,
  MapLineParser,
  readMapFile,
  readMapFileHeader,
} from './map-file-reader.ts';

const entry = (key: string, value: string, line: number) => ({ kind: 'entry', key, value, line });
const damaged = (line: number, why: RegExp) => ({ kind: 'damaged', line, why: expect.stringMatching(why) });

/** Facts about the file format: docs/haproxy-notes.md. */
const CASES: [name: string, text: string, lines: unknown[]][] = [
  ['an empty file', '', []],
  ['plain entries', '1.2.3.4 1\n2001:db8::/32 1\n', [entry('1.2.3.4', '1', 1), entry('2001:db8::/32', '1', 2)]],
  ['comments and blank lines', '# a 1\n\n   \n\t\n#\n1.2.3.4 1\n', [entry('1.2.3.4', '1', 6)]],
  ['a comment outside of column 0', ' #x 1\n', [damaged(1, /not an IPv4/)]],
  ['blanks around', '  1.2.3.4 \t 1 \t\n', [entry('1.2.3.4', '1', 1)]],
  ['CRLF', '1.2.3.4 1\r\n\r\n', [entry('1.2.3.4', '1', 1)]],
  ['another value', '1.2.3.4 0\n5.6.7.8 a b\n', [entry('1.2.3.4', '0', 1), entry('5.6.7.8', 'a b', 2)]],
  [
    'another spelling',
    '10.1.2.3/8 1\n2001:DB8::1 1\n10.0.0.0/255.0.0.0 1\n',
    [entry('10.1.2.3/8', '1', 1), entry('2001:DB8::1', '1', 2), entry('10.0.0.0/255.0.0.0', '1', 3)],
  ],
  ['a line without a value', '1.2.3.4\n5.6.7.8 \n', [damaged(1, /no value/), damaged(2, /no value/)]],
  ['a host name', 'example.com 1\n', [damaged(1, /not an IPv4/)]],
  ['bad prefixes', '1.2.3.4/33 1\n::/129 1\n1.2.3.4/ 1\n', [1, 2, 3].map((line) => damaged(line, /not an IPv4/))],
  ['a zone', 'fe80::1%eth0 1\n', [damaged(1, /not an IPv4/)]],
  ['a torn entry', '1.2.3.4 1\n5.6.7.8 1', [entry('1.2.3.4', '1', 1), damaged(2, /no newline/)]],
  ['a torn comment', '1.2.3.4 1\n# half', [entry('1.2.3.4', '1', 1)]],
  ['torn blanks', '1.2.3.4 1\n    ', [entry('1.2.3.4', '1', 1)]],
  ['two glued lines', '1.2.3.41.2.3.5 1\n', [damaged(1, /not an IPv4/)]],
  ['a NUL in an entry', '1.2.3.4\0 1\n5.6.7.8 1\n', [damaged(1, /NUL/), entry('5.6.7.8', '1', 2)]],
  ['a NUL in a comment', '#\0\0\n5.6.7.8 1\n', [damaged(1, /NUL/), entry('5.6.7.8', '1', 2)]],
  ['an overlong comment', `#${'x'.repeat(16_383)}\n5.6.7.8 1\n`, [damaged(1, /longer than/), entry('5.6.7.8', '1', 2)]],
  ['an overlong torn line', `1.2.3.4 1\n${'x'.repeat(40_000)}`, [entry('1.2.3.4', '1', 1), damaged(2, /longer than/)]],
  ['the longest readable line', `#${'x'.repeat(16_381)}\n5.6.7.8 1\n`, [entry('5.6.7.8', '1', 2)]],
  [
    'ends of trust',
    '# until 2026-12-01T00:00:00.000Z\n1.2.3.4 1\n5.6.7.8 1\n# until 2026-12-01T00:00:00.000Z\n# or not\n5.6.7.9 1\n',
    [
      { ...entry('1.2.3.4', '1', 2), until: '2026-12-01T00:00:00.000Z' },
      entry('5.6.7.8', '1', 3),
      entry('5.6.7.9', '1', 6),
    ],
  ],
  [
    'comments that are no end of trust',
    '# until 2026-13-01T00:00:00.000Z\n1.2.3.4 1\n# until further notice from us.\n5.6.7.8 1\n',
    [entry('1.2.3.4', '1', 2), entry('5.6.7.8', '1', 4)],
  ],
  [
    'the end of a torn entry',
    '# until 2026-12-01T00:00:00.000Z\n1.2.3.4 1',
    [{ ...damaged(2, /no newline/), until: '2026-12-01T00:00:00.000Z' }],
  ],
];

describe.each(CASES)('%s', (_name, text, expected) => {
  test('counts at least the entries', async () => {
    const path = await temporaryMapPath();
    await writeFile(path, text, 'latin1');
    const entries = (expected as MapFileLine[]).filter(({ kind }) => kind === 'entry').length;
    expect(await countMapFileLines(path)).toBeGreaterThanOrEqual(entries);
  });

  test('reads all lines at once', async () => {
    const path = await temporaryMapPath();
    await writeFile(path, text, 'latin1');
    const lines: MapFileLine[] = [];
    for await (const batch of readMapFile(path)) lines.push(...batch);
    expect(lines).toMatchObject(expected);
    expect(lines).toHaveLength(expected.length);
    expect(lines.map((line) => line.until)).toEqual(expected.map((line) => (line as { until?: string }).until));
  });

  test.each([1, 7, 4096])('reads the same lines in pieces of %d bytes', (size) => {
    if (size === 1 && text.length > 10_000) size = 13;
    const bytes = Buffer.from(text, 'latin1');
    const parser = new MapLineParser();
    const lines: MapFileLine[] = [];
    const chunk = Buffer.alloc(size);
    for (let at = 0; at < bytes.length; at += size) {
      // One buffer for all, like the reader.
      lines.push(...parser.push(chunk.subarray(0, bytes.copy(chunk, 0, at))));
    }
    lines.push(...parser.end());
    expect(lines).toMatchObject(expected);
    expect(lines).toHaveLength(expected.length);
  });
});

test('only the beginning of a damaged line is quoted', () => {
  const parser = new MapLineParser();
  const [line] = parser.push(Buffer.from(`${'x'.repeat(5000)} 1\n`));
  expect(line).toMatchObject({ kind: 'damaged', text: 'x'.repeat(200) });
});

test('a map file larger than one read is returned in batches', async () => {
  const path = await temporaryMapPath();
  const count = 20_000;
  const text = Array.from({ length: count }, (_, n) => `10.1.${n >> 8}.${n & 255} 1\n`).join('');
  await writeFile(path, text);
  const sizes: number[] = [];
  let last: MapFileLine | undefined;
  for await (const batch of readMapFile(path)) {
    sizes.push(batch.length);
    last = batch.at(-1);
  }
  expect(sizes.length).toBeGreaterThan(3);
  expect(sizes.reduce((a, b) => a + b)).toBe(count);
  expect(last).toEqual(entry('10.1.78.31', '1', count));
});

test('reading a missing map file rejects', async () => {
  const path = await temporaryMapPath();
  await expect(readMapFile(path).next()).rejects.toMatchObject({ code: 'ENOENT' });
});

/** With so many empty slots between them that they are far apart. */
function slotsOf(...generations: number[]): Buffer {
  const slots = emptySlots(40_000 * generations.length);
  for (const [index, generation] of generations.entries()) {
    writeHiddenSlot(slots, 40_000 * 64 * index, '192.0.2.1', generation);
  }
  return slots;
}

describe('the header of', () => {
  const header = { database: 'abc-1', generation: 7 };
  const table: [name: string, content: Buffer | string, header: unknown, last?: number | null][] = [
    ['one of our files', Buffer.concat([headerLine(header), nowLine(9), Buffer.from('1.2.3.4 1\n')]), header, 9],
    ['one with a later slot', Buffer.concat([headerLine(header), nowLine(9), slotsOf(11, 12, 10)]), header, 12],
    ['one with no second line and a slot', Buffer.concat([headerLine(header), slotsOf(11)]), header, 11],
    ['one of an older version', Buffer.concat([headerLine(header), Buffer.from('1.2.3.4 1\n')]), header],
    ['one whose second line is gone', headerLine(header), header],
    ['one whose second line was cut', Buffer.concat([headerLine(header), nowLine(9).subarray(0, 40)]), header],
    ['a foreign file', '# my list\n1.2.3.4 1\n', null],
    ['an empty file', '', null],
    ['a file cut within its header', headerLine(header).subarray(0, 100), null],
    ['a file with a very long first line', '#'.repeat(1000), null],
  ];
  test.each(table)('%s', async (_name, content, expected, last = null) => {
    const path = await temporaryMapPath();
    await writeFile(path, content);
    expect(await readMapFileHeader(path)).toEqual({ exists: true, header: expected, last });
  });

  test('a missing file', async () => {
    expect(await readMapFileHeader(await temporaryMapPath())).toEqual({ exists: false, header: null, last: null });
  });
});
