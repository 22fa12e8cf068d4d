import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressEntry, type IpWords, shortKey } from '../domain/ip.ts';
import { AddressColumn, TextColumn } from './key-columns.ts';
import { KeyRows, noRow } from './key-rows.ts';

const change = fc.record({
  key: fc.nat(3_000).map((n) => `k${n}`),
  how: fc.constantFrom('use', 'use', 'use', 'remove'),
});

it('finds each key in its own row, in the order of their last use', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 5_000, size: 'max' }), (changes) => {
      const rows = new KeyRows(new TextColumn());
      const known = new Set<string>();
      for (const { key, how } of changes) {
        const row = rows.find(key);
        expect(row !== noRow).toBe(known.delete(key));
        if (how === 'use') known.add(key);
        if (how === 'use' && row !== noRow) rows.moveToEnd(row);
        else if (how === 'use') rows.add(key);
        else if (row !== noRow) rows.remove(row);
      }
      const all = [...rows];
      expect(all.map((row) => rows.keyOf(row))).toEqual([...known]);
      expect([...known].map((key) => rows.find(key))).toEqual(all);
      expect(rows.size).toBe(known.size);
    }),
    // Of thousands of changes, fewer are sought for minutes.
    { numRuns: 20, endOnFailure: true },
  );
});

it('uses the rows of removed keys again', () => {
  const rows = new KeyRows(new TextColumn());
  const { capacity } = rows;
  for (let n = 0; n < 10 * capacity; n += 1) {
    rows.add(`${n}`);
    if (rows.size === capacity - 1) rows.remove(rows.first);
  }
  expect(rows.capacity).toBe(capacity);
});

it.each([1_023, 1_024, 145_408])('has room for %i keys', (expected) => {
  const rows = new KeyRows(new TextColumn(), expected);
  const { capacity } = rows;
  for (let n = 0; n < expected; n += 1) rows.add(`${n}`);
  expect(rows.capacity).toBe(capacity);
});

it('finds addresses in their own rows, however similar they are, also after an enlargement', () => {
  const rows = new KeyRows(new AddressColumn());
  const addresses: IpWords[] = [];
  for (let n = 0; n < 1_000; n += 1) addresses.push([0, 0, 0xffff, n], [n, 0, 0xffff, 0], [0, n, 0, 1], [1, 1, n, 1]);
  const known = new Map(addresses.map((words) => [words.join(), words] as const));
  for (const words of known.values()) rows.add(words);
  expect(rows.size).toBe(known.size);
  for (const words of known.values()) expect(rows.keyOf(rows.find(words))).toEqual(words);
  expect(rows.find([1, 2, 3, 4])).toBe(noRow);
});

it('sorts addresses as their short keys', () => {
  const word = fc.oneof(fc.constantFrom(0, 1, 0xffff, 2 ** 31, 2 ** 32 - 1), fc.nat(2 ** 32 - 1));
  const ipv4 = word.map((last): IpWords => [0, 0, 0xffff, last]);
  const address = fc.oneof(ipv4, fc.tuple(word, word, word, word));
  fc.assert(
    fc.property(fc.uniqueArray(address, { maxLength: 50, selector: (words) => words.join() }), (addresses) => {
      const keys = new AddressColumn();
      const rows = new KeyRows(keys);
      const sorted = addresses.map((words) => rows.add(words)).sort((a, b) => keys.compare(a, b));
      const keyOf = (words: IpWords) => shortKey(addressEntry(words));
      const expected = [...addresses].sort((a, b) => keyOf(a).compare(keyOf(b)));
      expect(sorted.map((row) => rows.keyOf(row))).toEqual(expected);
    }),
    // An IPv4 address, and an IPv6 address that begins with its bytes.
    {
      examples: [
        [
          [
            [5, 0, 0, 1],
            [0, 0, 0xffff, 5],
            [5, 0, 0, 0],
            [5, 0, 0xffff, 5],
          ],
        ],
      ],
    },
  );
});
