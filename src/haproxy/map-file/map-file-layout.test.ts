import { describe, expect, test } from 'vitest';
import {
  canonicalEntry,
  emptySlots,
  firstByte,
  HEADER_BYTES,
  headerLine,
  LONGEST_LINE,
  NOW_BYTES,
  nowLine,
  padding,
  parseHeaderLine,
  parseNowLine,
  parseTag,
  tagLine,
  writeHiddenSlot,
} from './map-file-layout.ts';

const DATABASE = '0b6c1c1e-5f0a-4f43-9d55-1a2b3c4d5e6f';

describe('the header', () => {
  test.each([0, 1, 4711, Number.MAX_SAFE_INTEGER])(
    'a header with generation %d is a comment line and can be read back',
    (generation) => {
      const line = headerLine({ database: DATABASE, generation });
      expect(line.length).toBe(HEADER_BYTES);
      expect(line.indexOf('\n')).toBe(HEADER_BYTES - 1);
      expect(line[0]).toBe(0x23);
      expect(parseHeaderLine(line.toString('latin1', 0, HEADER_BYTES - 1))).toEqual({ database: DATABASE, generation });
    },
  );

  test.each([
    { database: 'a b', generation: 1 },
    { database: 'a\nb', generation: 1 },
    { database: '', generation: 1 },
    { database: 'x'.repeat(65), generation: 1 },
    { database: DATABASE, generation: -1 },
    { database: DATABASE, generation: 1.5 },
    { database: DATABASE, generation: 2 ** 53 },
  ])('refuses the header %j', (header) => {
    expect(() => headerLine(header)).toThrow(RangeError);
  });

  test.each([
    '',
    '# proxy-manager',
    '1.2.3.4 1',
    ' # proxy-manager database=a generation=1',
    '# proxy-manager database=a generation=01',
  ])('reads no generation from %j', (line) => {
    expect(parseHeaderLine(line)).toBeNull();
  });
});

describe('the second line', () => {
  test.each([0, 1, 4711, Number.MAX_SAFE_INTEGER])(
    'a header with generation %d is a comment line and can be read back',
    (now) => {
      const line = nowLine(now).toString('latin1');
      expect(line).toMatch(/^#.*\n$/);
      expect(line.length).toBe(NOW_BYTES);
      expect(parseNowLine(line.slice(0, -1))).toBe(now);
    },
  );

  test.each([
    '',
    '#',
    '1.2.3.4 1',
    '# now at generation 17, 17',
    `# now at generation ${'9'.repeat(16)}, ${'9'.repeat(16)}`,
  ])('reads no generation from %j', (line) => {
    expect(parseNowLine(line)).toBeNull();
  });
});

test('a partially written slot number is read as no number, or as the old or the new one', () => {
  const [old, next] = [tagLine(35), tagLine(36)];
  for (let cut = 0; cut <= old.length; cut += 1) {
    expect([35, 36, null]).toContain(parseTag(`${next.slice(0, cut)}${old.slice(cut)}`.trimEnd()));
  }
  expect(() => tagLine(36 ** 8)).toThrow(RangeError);
});

test('a partially written second line is read as no number, or as the old or the new one', () => {
  const [old, next] = [nowLine(999), nowLine(1000)];
  for (let cut = 0; cut <= NOW_BYTES; cut += 1) {
    const torn = Buffer.concat([next.subarray(0, cut), old.subarray(cut)]).toString('latin1', 0, NOW_BYTES - 1);
    expect([999, 1000, null]).toContain(parseNowLine(torn));
  }
});

describe('padding', () => {
  test('padding is a comment line that ends at a multiple of 64, for every length', () => {
    for (let length = 128; length < 128 + 64; length += 1) {
      const line = padding(length).toString('latin1');
      expect((length + line.length) % 64).toBe(0);
      if (length % 64 !== 0) expect(line).toMatch(/^# *\n$/);
      else expect(line).toBe('');
    }
  });
});

describe('a slot', () => {
  test('a slot is 64 bytes of comment, empty or hidden, and a complete line once its first byte is written', () => {
    const slots = emptySlots(3);
    expect(slots.toString('latin1')).toBe(`${'#'.padEnd(17)}\n${'#'.padEnd(45)}\n`.repeat(3));
    writeHiddenSlot(slots, 64, '192.0.2.1', 17);
    expect(slots.toString('latin1', 64, 128)).toBe(`#0000000h0000000h\n${'#92.0.2.1 1'.padEnd(45)}\n`);
    slots.set(firstByte('192.0.2.1'), 64 + 18);
    expect(slots.toString('latin1', 64, 128)).toBe(`#0000000h0000000h\n${'192.0.2.1 1'.padEnd(45)}\n`);
    expect(parseTag(slots.toString('latin1', 64, 64 + 17))).toBe(17);
    expect(parseTag(slots.toString('latin1', 0, 17))).toBeNull();
    expect(slots.toString('latin1', 0, 64)).toBe(slots.toString('latin1', 128, 192));
  });

  test('the longest line fits into a slot', () => {
    const longest = '2001:db8:1111:2222:3333:4444:5555:6666/127';
    expect(canonicalEntry(longest).text).toBe(longest);
    expect(longest.length + ' 1\n'.length).toBeLessThanOrEqual(LONGEST_LINE);
    const slot = emptySlots(1);
    writeHiddenSlot(slot, 0, longest, 36 ** 8 - 1);
    expect(slot.toString('latin1')).toBe(`#zzzzzzzzzzzzzzzz\n${`#${longest.slice(1)} 1`.padEnd(45)}\n`);
  });
});

describe('canonical text', () => {
  test.each(['1.2.3.4', '10.0.0.0/8', '2001:db8::1', '2001:db8::/32'])('accepts the canonical text %s', (ip) => {
    expect(canonicalEntry(ip).text).toBe(ip);
  });
  test.each(['1.2.3.4/32', '2001:DB8::1', '10.0.0.1/8', '', '1.2.3.4 1\n5.6.7.8', '#', '0.0.0.0/0', '::ffff:1.2.3.4'])(
    'refuses the text %j',
    (ip) => {
      expect(() => canonicalEntry(ip)).toThrow(expect.objectContaining({ reason: 'not-canonical' }));
    },
  );
});
