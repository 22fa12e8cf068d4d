import { describe, expect, test } from 'vitest';
import { inOrder } from './map-file-fixture.ts';
import {
  canonicalEntry,
  compareEntries,
  emptySlots,
  firstByte,
  HEADER_BYTES,
  headerLine,
  LONGEST_LINE,
  padding,
  parseHeaderLine,
  writeHiddenSlot,
} from './map-file-layout.ts';

const DATABASE = '0b6c1c1e-5f0a-4f43-9d55-1a2b3c4d5e6f';

describe('the header', () => {
  test.each([0, 1, 4711, Number.MAX_SAFE_INTEGER])(
    'with generation %d is one comment line and reads back',
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
  ])('refuses %j', (header) => {
    expect(() => headerLine(header)).toThrow(RangeError);
  });

  test.each([
    '',
    '# proxy-manager',
    '1.2.3.4 1',
    ' # proxy-manager database=a generation=1',
    '# proxy-manager database=a generation=01',
  ])('is not read out of %j', (line) => {
    expect(parseHeaderLine(line)).toBeNull();
  });
});

describe('padding', () => {
  test('is a comment line that ends at a multiple of 64, for every length', () => {
    for (let length = 128; length < 128 + 64; length += 1) {
      const line = padding(length).toString('latin1');
      expect((length + line.length) % 64).toBe(0);
      if (length % 64 !== 0) expect(line).toMatch(/^# *\n$/);
      else expect(line).toBe('');
    }
  });
});

describe('a slot', () => {
  test('is 64 bytes of comment, empty or hidden, and a whole line when its first byte is flipped', () => {
    const slots = emptySlots(3);
    expect(slots.toString('latin1')).toBe(`#${' '.repeat(62)}\n`.repeat(3));
    writeHiddenSlot(slots, 64, '192.0.2.1');
    expect(slots.toString('latin1', 64, 128)).toBe(`${'#92.0.2.1 1'.padEnd(63)}\n`);
    slots.set(firstByte('192.0.2.1'), 64);
    expect(slots.toString('latin1', 64, 128)).toBe(`${'192.0.2.1 1'.padEnd(63)}\n`);
    expect(slots.toString('latin1', 0, 64)).toBe(slots.toString('latin1', 128, 192));
  });

  test('has room for the longest line', () => {
    const longest = '2001:db8:1111:2222:3333:4444:5555:6666/127';
    expect(canonicalEntry(longest).text).toBe(longest);
    expect(longest.length + ' 1\n'.length).toBeLessThanOrEqual(LONGEST_LINE);
    const slot = emptySlots(1);
    writeHiddenSlot(slot, 0, longest);
    expect(slot.toString('latin1')).toBe(`${`#${longest.slice(1)} 1`.padEnd(63)}\n`);
  });
});

describe('only canonical text', () => {
  test.each(['1.2.3.4', '10.0.0.0/8', '2001:db8::1', '2001:db8::/32'])('%s is taken', (ip) => {
    expect(canonicalEntry(ip).text).toBe(ip);
  });
  test.each(['1.2.3.4/32', '2001:DB8::1', '10.0.0.1/8', '', '1.2.3.4 1\n5.6.7.8', '#', '0.0.0.0/0', '::ffff:1.2.3.4'])(
    '%j is not',
    (ip) => {
      expect(() => canonicalEntry(ip)).toThrow(expect.objectContaining({ reason: 'not-canonical' }));
    },
  );
});

test('entries compare as their sort keys do', () => {
  const ips = [
    '0.0.0.1',
    '10.0.0.0',
    '10.0.0.0/8',
    '10.0.0.0/9',
    '128.0.0.0/1',
    '255.255.255.255',
    '::2',
    '1::',
    '2001:db8::/32',
    '2001:db8::',
    'ffff::',
  ];
  const byComparison = ips
    .map(canonicalEntry)
    .sort(compareEntries)
    .map((entry) => entry.text);
  expect(byComparison).toEqual(inOrder(ips));
  expect(compareEntries(canonicalEntry('1.2.3.4'), canonicalEntry('1.2.3.4'))).toBe(0);
});
