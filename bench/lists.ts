// Made-up lists: distinct public-looking addresses in no order, the same for every run.

export function address(index: number): string {
  // An odd multiplier walks all of 2^32 without meeting a value twice.
  const value = Math.imul(index, 2_654_435_761) >>> 0;
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

export function* batches(entries: number, size = 5_000): Iterable<string[]> {
  for (let start = 0; start < entries; start += size) {
    yield Array.from({ length: Math.min(size, entries - start) }, (_, offset) => address(start + offset));
  }
}

/** Addresses of a block of their own, never in a list. */
export function spare(index: number): string {
  return `241.${(index >>> 16) & 255}.${(index >>> 8) & 255}.${index & 255}`;
}
