import { expect, test } from 'vitest';
import { cellAt, cellIndexes, placeOf } from './hilbert.ts';

test('finds each of 65,536 cells in both directions, each once', () => {
  const seen = new Set(cellIndexes(8));
  expect(seen.size).toBe(65_536);
  for (let at = 0; at < 65_536; at += 1) {
    if (placeOf(8, cellAt(8, at)) !== at) throw new Error(`place ${at}`);
  }
});

test('goes from each cell to a neighbour', () => {
  for (let at = 1; at < 4_096; at += 1) {
    const one = cellAt(6, at - 1);
    const other = cellAt(6, at);
    expect(Math.abs(one.x - other.x) + Math.abs(one.y - other.y)).toBe(1);
  }
});

test.each([
  { fine: 9, coarse: 4 },
  { fine: 8, coarse: 3 },
])('keeps the cells of order $fine inside those of order $coarse', ({ fine, coarse }) => {
  const cells = 4 ** (fine - coarse);
  for (let at = 0; at < 4 ** fine; at += 997) {
    const { x, y } = cellAt(fine, at);
    expect({ x: x >> (fine - coarse), y: y >> (fine - coarse) }).toEqual(cellAt(coarse, Math.floor(at / cells)));
  }
});
