import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeyRows, noRow } from './key-rows.ts';

const change = fc.record({
  key: fc.nat(3_000).map((n) => `k${n}`),
  how: fc.constantFrom('use', 'use', 'use', 'remove'),
});

it('finds each key in its own row, in the order of their last use', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 5_000, size: 'max' }), (changes) => {
      const rows = new KeyRows();
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
  const rows = new KeyRows();
  const { capacity } = rows;
  for (let n = 0; n < 10 * capacity; n += 1) {
    rows.add(`${n}`);
    if (rows.size === capacity - 1) rows.remove(rows.first);
  }
  expect(rows.capacity).toBe(capacity);
});

it.each([1_022, 1_023, 112_640])('has room for %i keys and one more', (expected) => {
  const rows = new KeyRows(expected);
  const { capacity } = rows;
  for (let n = 0; n <= expected; n += 1) rows.add(`${n}`);
  expect(rows.capacity).toBe(capacity);
});
