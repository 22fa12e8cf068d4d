// The Hilbert curve: a line through all cells of a square in which neighbours of the line are neighbours in the square. A
// curve of order n has 4 ** n cells; one of a higher order stays within the same cells of the lower one.

export interface Cell {
  readonly x: number;
  readonly y: number;
}

/** @param at place on the curve, from 0 */
export function cellAt(order: number, at: number): Cell {
  let x = 0;
  let y = 0;
  let rest = at;
  for (let side = 1; side < 2 ** order; side *= 2) {
    const right = 1 & (rest >>> 1);
    const down = 1 & (rest ^ right);
    if (down === 0) {
      if (right === 1) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      [x, y] = [y, x];
    }
    x += side * right;
    y += side * down;
    rest >>>= 2;
  }
  return { x, y };
}

/** The place on the curve of a cell. */
export function placeOf(order: number, cell: Cell): number {
  let { x, y } = cell;
  let place = 0;
  const last = 2 ** order - 1;
  for (let side = 2 ** (order - 1); side >= 1; side /= 2) {
    const right = (x & side) > 0 ? 1 : 0;
    const down = (y & side) > 0 ? 1 : 0;
    place += side * side * ((3 * right) ^ down);
    if (down === 0) {
      if (right === 1) {
        x = last - x;
        y = last - y;
      }
      [x, y] = [y, x];
    }
  }
  return place;
}

/** For each place on the curve the index of its cell, row by row. Of order 9 it takes 20 ms, so keep it. */
export function cellIndexes(order: number): Uint32Array {
  const side = 2 ** order;
  const indexes = new Uint32Array(side * side);
  for (let at = 0; at < indexes.length; at += 1) {
    const { x, y } = cellAt(order, at);
    indexes[at] = y * side + x;
  }
  return indexes;
}
