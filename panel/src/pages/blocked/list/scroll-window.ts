// Which rows are in sight, for lists that are taller than a browser can make anything (some 17 million pixels). Up to
// `tallest` the scroll bar is exact. Above it small movements are exact and a jump along the bar is by its share.

export interface ScrollWindow {
  /** Pixels of the list above the upper edge of what is in sight. */
  readonly position: number;
  /** `scrollTop` that goes with it. */
  readonly scrollTop: number;
}

export interface ListShape {
  readonly rows: number;
  readonly rowHeight: number;
  readonly viewport: number;
}

/** Pixels. */
export const tallest = 8_000_000;

export function scrolledHeight({ rows, rowHeight }: ListShape): number {
  return Math.min(rows * rowHeight, tallest);
}

/** After the browser has scrolled to `scrollTop`. */
export function scrolled(from: ScrollWindow, scrollTop: number, shape: ListShape): ScrollWindow {
  const furthest = furthestPosition(shape);
  const furthestTop = Math.max(0, scrolledHeight(shape) - shape.viewport);
  const moved = scrollTop - from.scrollTop;
  const exact = shape.rows * shape.rowHeight <= tallest;
  if (exact) return { scrollTop, position: clamp(scrollTop, furthest) };
  // The ends of the bar are the ends of the list.
  if (scrollTop <= 0) return { scrollTop, position: 0 };
  if (scrollTop >= furthestTop - 1) return { scrollTop, position: furthest };
  const jumped = Math.abs(moved) > shape.viewport * 3;
  const position = jumped ? (scrollTop / furthestTop) * furthest : from.position + moved;
  return { scrollTop, position: clamp(position, furthest) };
}

/** The position in a list that may have become shorter since. */
export function positionWithin(position: number, shape: ListShape): number {
  return clamp(position, furthestPosition(shape));
}

/** Where the bar belongs for a position, once nobody moves it. */
export function settledTop(position: number, shape: ListShape): number {
  const furthest = furthestPosition(shape);
  const furthestTop = Math.max(0, scrolledHeight(shape) - shape.viewport);
  return furthest === 0 ? 0 : Math.round((position / furthest) * furthestTop);
}

/** The position at which row `index` is wholly in sight, as near as may be to `position`. */
export function positionShowing(index: number, position: number, shape: ListShape): number {
  const top = index * shape.rowHeight;
  if (top < position) return top;
  const above = top + shape.rowHeight - shape.viewport;
  return clamp(Math.max(position, above), furthestPosition(shape));
}

/** The first and the last row in sight, with some on each side. */
export function rowsInSight(position: number, { rows, rowHeight, viewport }: ListShape, more = 6) {
  const first = Math.max(0, Math.floor(position / rowHeight) - more);
  const last = Math.min(rows - 1, Math.ceil((position + viewport) / rowHeight) + more);
  return { first, last };
}

function furthestPosition({ rows, rowHeight, viewport }: ListShape): number {
  return Math.max(0, rows * rowHeight - viewport);
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(0, value), most);
}
