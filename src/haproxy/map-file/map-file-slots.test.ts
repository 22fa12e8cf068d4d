import { expect, test } from 'vitest';
import { SlotTable } from './map-file-slots.ts';

function take(table: SlotTable, count: number, name: string): number[] {
  return Array.from({ length: count }, (_, index) => {
    const slot = table.take();
    table.hold(`${name}${index}`, slot);
    return slot;
  });
}

test('fresh slots are used first and in order', () => {
  const table = new SlotTable(64);
  expect(take(table, 5, 'a')).toEqual([0, 1, 2, 3, 4]);
  table.free('a2');
  expect(take(table, 2, 'b')).toEqual([5, 6]);
  expect(table.used).toBe(6);
});

test('a shortage of slots is a number of complete blocks', () => {
  const table = new SlotTable(64);
  expect(table.shortage(64)).toBe(0);
  expect(table.shortage(65)).toBe(64);
  take(table, 64, 'a');
  expect(table.shortage(1)).toBe(64);
  table.grow(64);
  expect(table.shortage(64)).toBe(0);
  expect(table.count).toBe(128);
});

test('freed slots are reused, the longest freed first, and only when many are free', () => {
  const table = new SlotTable(64);
  take(table, 64, 'a');
  for (let index = 31; index > 0; index -= 1) table.free(`a${index}`);
  expect(table.shortage(1)).toBe(64);
  table.free('a40');
  expect(table.shortage(32)).toBe(0);
  expect(table.shortage(33)).toBe(64);
  expect(take(table, 3, 'b')).toEqual([31, 30, 29]);
  expect(table.slotOf('b0')).toBe(31);
  expect(table.slotOf('a31')).toBeUndefined();
});

test('a slot in use is never assigned again', () => {
  const table = new SlotTable(64);
  const held = new Map<string, number>();
  let next = 0;
  for (let round = 0; round < 400; round += 1) {
    table.grow(table.shortage(3));
    for (let count = 0; count < 3; count += 1) {
      const slot = table.take();
      expect([...held.values()]).not.toContain(slot);
      held.set(`ip${next}`, slot);
      table.hold(`ip${next++}`, slot);
    }
    for (const ip of [...held.keys()].slice(0, held.size > 60 ? 3 : 2)) {
      table.free(ip);
      held.delete(ip);
    }
  }
  expect(table.used).toBe(held.size);
  expect(table.count).toBeLessThanOrEqual(256);
});
