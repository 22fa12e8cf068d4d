import { expect, it } from 'vitest';
import { liveBytes } from '../../testkit/live-bytes.ts';
import { CounterColumn, type CounterReading, storedCounters } from './counter-column.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');
const separate = (number: number): CounterReading => ({ at: noon, number, startedAt: noon, handsOver: false });
const usedMegabytes = async () => (await liveBytes()) / 1_000_000;

it('takes as little memory after thousands of reloads as at first', async () => {
  const rows = 30_000;
  /** The rows of a column with the values of one worker. */
  const megabytesOf = async (worker: number) => {
    const before = await usedMegabytes();
    const column = new CounterColumn(rows);
    for (let row = 0; row < rows; row += 1) column.advance(row, separate(worker), 1_000, () => 0);
    const used = (await usedMegabytes()) - before;
    expect(storedCounters(column.get(0)!)).toBe(`${worker}:1000`);
    return used;
  };
  // 0.24, besides what others leave meanwhile; values that are not packed take 3.
  expect(await megabytesOf(1)).toBeLessThan(1.5);
  expect(await megabytesOf(5_900)).toBeLessThan(1.5);
});

it('remembers values and workers of any size, and is unknown before and after', () => {
  const column = new CounterColumn(1);
  const row = 5;
  expect(column.get(row)).toBeUndefined();
  const sizes = [0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 21, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40];
  for (const worker of sizes.slice(0, 4)) {
    for (const value of sizes) {
      column.set(row, [worker, value]);
      expect(column.get(row)).toEqual([worker, value]);
      expect(column.highest(row)).toBe(value);
    }
  }
  for (const values of [[1, 5, 2, 3], [], [1, 5, 2, 3], [1, 5]]) {
    column.set(row, values);
    expect(column.get(row)).toEqual(values);
    column.clear(row);
    expect(column.get(row)).toBeUndefined();
    column.set(row, values);
  }
  expect(column.get(row - 1)).toBeUndefined();
});
