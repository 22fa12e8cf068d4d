// Statements for many rows at a time.
import type { CompiledQuery } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';

/** Rows per statement: a longer one costs more to bind than it saves. */
export const BLOCK = 64;
/** Blocks between two yields to the event loop: about 5 ms of writing. */
const BLOCKS_PER_YIELD = 16;

/** Pads a short block to its statement; a duplicate does not change an `in (…)`. */
export function filled<T>(block: readonly T[]): readonly T[] {
  if (block.length === BLOCK) return block;
  return [...block, ...new Array<T>(BLOCK - block.length).fill(block[0]!)];
}

/** Not an async generator: that would cost a group of one more than its statement. */
export async function eachBlock<T>(items: readonly T[], work: (block: readonly T[]) => Promise<void>): Promise<void> {
  for (let start = 0, count = 1; start < items.length; start += BLOCK, count++) {
    await work(items.length <= BLOCK ? items : items.slice(start, start + BLOCK));
    if (count % BLOCKS_PER_YIELD === 0) await yieldToLoop();
  }
}

/** Statements that write 64, 8 and 1 rows: any number of rows with few of them, each compiled once. */
const sizes = [BLOCK, 8, 1] as const;

export class RowsWriter {
  readonly #queries: readonly PreparedQuery<unknown>[];

  /** @param compiled the statement for so many rows */
  constructor(compiled: (rows: number) => CompiledQuery) {
    this.#queries = sizes.map((rows) => new PreparedQuery(compiled(rows)));
  }

  /** Each row has its parameters in the order of the statement's columns. */
  async write(runner: Runner, rows: readonly (readonly unknown[])[]): Promise<void> {
    let at = 0;
    for (const [index, size] of sizes.entries()) {
      for (; rows.length - at >= size; at += size)
        await this.#queries[index]!.write(runner, rows.slice(at, at + size).flat());
    }
  }
}
