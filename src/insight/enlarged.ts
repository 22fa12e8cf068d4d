/** The memory of a column for more rows, the new ones 0. The column itself is empty then, and its memory free at once. */
export function enlarged(
  column: Int32Array | Uint32Array | Uint16Array | Uint8Array | Float64Array,
  rows: number,
): ArrayBuffer {
  return (column.buffer as ArrayBuffer).transfer(rows * column.BYTES_PER_ELEMENT);
}
