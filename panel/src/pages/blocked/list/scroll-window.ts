// The visible rows of lists taller than a browser's limit for elements (about 17 million pixels). Up to `maxHeight` the
// scroll bar is exact. Above, small movements are exact and a jump of the bar is proportional.

export interface ScrollWindow {
  /** Pixels of the list above the visible part. */
  readonly position: number;
  readonly scrollTop: number;
}

interface ListShape {
  readonly rows: number;
  readonly rowHeight: number;
  readonly viewport: number;
}

export const maxHeight = 8_000_000;

export function scrolledHeight({ rows, rowHeight }: ListShape): number {
  return Math.min(rows * rowHeight, maxHeight);
}

export function scrolled(from: ScrollWindow, scrollTop: number, shape: ListShape): ScrollWindow {
  const maxAt = maxPosition(shape);
  const maxTop = Math.max(0, scrolledHeight(shape) - shape.viewport);
  const moved = scrollTop - from.scrollTop;
  const exact = shape.rows * shape.rowHeight <= maxHeight;
  if (exact) return { scrollTop, position: clamp(scrollTop, maxAt) };
  // Both ends of the bar are the ends of the list.
  if (scrollTop <= 0) return { scrollTop, position: 0 };
  if (scrollTop >= maxTop - 1) return { scrollTop, position: maxAt };
  const jumped = Math.abs(moved) > shape.viewport * 3;
  const position = jumped ? (scrollTop / maxTop) * maxAt : from.position + moved;
  return { scrollTop, position: clamp(position, maxAt) };
}

export function positionWithin(position: number, shape: ListShape): number {
  return clamp(position, maxPosition(shape));
}

export function settledTop(position: number, shape: ListShape): number {
  const maxAt = maxPosition(shape);
  const maxTop = Math.max(0, scrolledHeight(shape) - shape.viewport);
  return maxAt === 0 ? 0 : Math.round((position / maxAt) * maxTop);
}

/** The position nearest to `position` at which row `index` is completely visible. */
export function positionShowing(index: number, position: number, shape: ListShape): number {
  const top = index * shape.rowHeight;
  if (top < position) return top;
  const above = top + shape.rowHeight - shape.viewport;
  return clamp(Math.max(position, above), maxPosition(shape));
}

export function visibleRows(position: number, { rows, rowHeight, viewport }: ListShape, more = 6) {
  const first = Math.max(0, Math.floor(position / rowHeight) - more);
  const last = Math.min(rows - 1, Math.ceil((position + viewport) / rowHeight) + more);
  return { first, last };
}

function maxPosition({ rows, rowHeight, viewport }: ListShape): number {
  return Math.max(0, rows * rowHeight - viewport);
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(0, value), most);
}
