// Statements for many rows at a time.
import { yieldToLoop } from '../concurrency/pause.ts';

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
