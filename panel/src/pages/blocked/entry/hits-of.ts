import type { KnockingAddress } from '../../../api/types.ts';

interface Hits {
  readonly hits: number;
  readonly total: number;
  /** Null: none. */
  readonly first: string | null;
  readonly last: string | null;
  /** Of each hour, the current one last. */
  readonly spark: readonly number[];
}

/** Of all these addresses together. */
export function hitsOf(items: readonly KnockingAddress[]): Hits {
  const hours = Math.max(0, ...items.map(({ spark }) => spark.length));
  const spark = new Array<number>(hours).fill(0);
  for (const one of items) {
    // The current hour is the last one of each.
    const from = hours - one.spark.length;
    for (const [at, value] of one.spark.entries()) spark[from + at] = (spark[from + at] ?? 0) + value;
  }
  const times = (of: (item: KnockingAddress) => string): string[] => items.map(of).sort();
  return {
    hits: items.reduce((sum, one) => sum + one.hits, 0),
    total: items.reduce((sum, one) => sum + one.total, 0),
    first: times((one) => one.first_hit)[0] ?? null,
    last: times((one) => one.last_hit).at(-1) ?? null,
    spark,
  };
}
