import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HourTable } from './hour-table.ts';

const hits = fc.oneof(fc.nat(9), fc.constantFrom(65_534, 65_535, 65_536, 5_000_000_000));
const step = fc.record({ row: fc.nat(2), hits, later: fc.constantFrom(0, 0, 1, 7, 30), clear: fc.nat(9) });

it('sums the hits of the last 24 hours, however many there are in one', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const table = new HourTable();
      let counted: { readonly row: number; readonly hour: number; readonly hits: number }[] = [];
      let hour = 490_000;
      for (const row of [0, 1, 2]) table.clear(row);
      for (const { row, hits: more, later, clear } of steps) {
        hour += later;
        if (clear === 0) table.clear(row);
        if (clear === 0) counted = counted.filter((one) => one.row !== row);
        table.count(row, hour, more);
        counted.push({ row, hour, hits: more });
      }
      for (const row of [0, 1, 2]) {
        const of = (at: number) =>
          counted.filter((one) => one.row === row && one.hour === at).reduce((sum, one) => sum + one.hits, 0);
        const values = Array.from({ length: 24 }, (_, index) => of(hour - 23 + index));
        if (steps.length > 0) expect(table.values(row)).toEqual(values);
        expect(table.sum(row)).toBe(values.reduce((sum, value) => sum + value, 0));
        expect(table.sum(row, 3)).toBe(values.slice(-3).reduce((sum, value) => sum + value, 0));
      }
    }),
  );
});

it('forgets large sums with their hour', () => {
  const table = new HourTable();
  table.clear(1);
  for (const [hour, more] of [
    [490_000, 5_000_000_000],
    [490_024, 65_535],
  ] as const)
    table.count(1, hour, more);
  expect(table.sum(1)).toBe(65_535);
});
