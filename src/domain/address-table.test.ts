import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressTable } from './address-table.ts';
import { type IpEntry, parseIp } from './ip.ts';
import { ipv4Entry, ipv6Entry } from './ip-entry.ts';

const entryOf = (text: string): IpEntry => {
  const parse = parseIp(text);
  if (!parse.ok) throw new Error(parse.why);
  return parse.entry;
};

const few = fc.constantFrom(0, 1, 0xffff, 0x01020304, 0xffffffff);
const anyEntry = fc.oneof(
  fc.tuple(few, fc.integer({ min: 1, max: 32 })).map(([address, prefix]) => ipv4Entry(address, prefix)),
  fc
    .tuple(fc.tuple(few, few, few, few), fc.integer({ min: 1, max: 128 }))
    .map(([words, prefix]) => ipv6Entry(words, prefix)),
);

describe('AddressTable', () => {
  it('an address table distinguishes a network from its first address, and IPv4 from IPv6', () => {
    const table = new AddressTable();
    expect(table.insert(entryOf('10.0.0.0/8'))).toBe(true);
    expect(table.insert(entryOf('10.0.0.0/8'))).toBe(false);
    expect(table.has(entryOf('10.0.0.0/9'))).toBe(false);
    expect(table.has(entryOf('10.0.0.0'))).toBe(false);
    expect(table.has(entryOf('::a00:0/104'))).toBe(false);
    expect(table.size).toBe(1);
  });

  it('an address table counts marks up to 255 and returns -1 for an absent entry', () => {
    const table = new AddressTable();
    const entry = entryOf('2001:db8::1');
    expect(table.mark(entry)).toBe(-1);
    expect(table.marksOf(entry)).toBe(-1);
    table.insert(entry);
    expect(table.marksOf(entry)).toBe(0);
    expect([table.mark(entry), table.mark(entry), table.marksOf(entry)]).toEqual([0, 1, 2]);
    for (let round = 0; round < 300; round++) table.mark(entry);
    expect(table.mark(entry)).toBe(255);
    table.insert(entry);
    expect(table.marksOf(entry)).toBe(255);
  });

  it('an address table contains exactly the entries of a Set, with the same marks', () => {
    const step = fc.record({ entry: anyEntry, what: fc.constantFrom('insert', 'mark', 'has') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 2000, size: 'max' }), (steps) => {
        const table = new AddressTable();
        const marks = new Map<string, number>();
        for (const { entry, what } of steps) {
          const before = marks.get(entry.text);
          if (what === 'insert') {
            expect(table.insert(entry)).toBe(before === undefined);
            marks.set(entry.text, before ?? 0);
          } else if (what === 'mark') {
            expect(table.mark(entry)).toBe(before ?? -1);
            if (before !== undefined) marks.set(entry.text, before + 1);
          } else {
            expect(table.has(entry)).toBe(before !== undefined);
          }
        }
        expect(table.size).toBe(marks.size);
      }),
      { numRuns: 30 },
    );
  });

  it.each([0, 200_000])(
    'keeps 200,000 entries of both families with their marks while it grows (expected: %i)',
    (n) => {
      const table = new AddressTable(n);
      const at = (index: number): IpEntry =>
        index % 4 === 0 ? ipv6Entry([0x20010db8, index, 0, 0], 128) : ipv4Entry(index * 3, 32);
      for (let index = 0; index < 200_000; index++) {
        table.insert(at(index));
        if (index % 7 === 0) table.mark(at(index));
      }
      expect(table.size).toBe(200_000);
      let wrong = 0;
      for (let index = 0; index < 200_000; index++) {
        if (table.marksOf(at(index)) !== (index % 7 === 0 ? 1 : 0)) wrong++;
        if (index % 4 !== 0 && table.has(ipv4Entry(index * 3 + 1, 32))) wrong++;
      }
      expect(wrong).toBe(0);
    },
  );
});
