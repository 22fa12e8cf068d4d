import { yieldToLoop } from '../concurrency/pause.ts';
import type { Runner } from './prepared-query.ts';
import type { StagedBlocks } from './staged-blocks.ts';
import { compareKeys, KEY_BYTES, NO_ROWS, type StagedRows, StagedRowsBuilder } from './staged-rows.ts';

/** One run, read block by block. */
interface Cursor {
  readonly run: number;
  block: StagedRows;
  index: number;
  /** `rankOf` its next row. */
  rank: number;
}

/** Runs opened, and blocks read, between two yields to the event loop. */
const RUNS_PER_YIELD = 64;
const ROWS_PER_YIELD = 8_192;
const BEFORE_ALL = Buffer.alloc(0);

interface StagedMergeDeps {
  readonly blocks: StagedBlocks;
  readonly runner: Runner;
  readonly bulk: number;
}

/**
 * The staged rows of a bulk as one sequence in address order, each address once, with the highest run's row of it. Rows
 * are staged as they come, in sorted runs: a sorted table would be rewritten a hundred times over by a million unsorted
 * addresses.
 */
export class StagedMerge {
  readonly #deps: StagedMergeDeps;
  /** A binary heap; its top is the run with the next row. */
  readonly #heap: Cursor[] = [];
  /** Rows that were put back; they precede the heap's. */
  #waiting: StagedRows = NO_ROWS;
  #position: Buffer = BEFORE_ALL;

  /** Of the rows above `after`. The bulk must be complete; rows staged later may be missed. */
  static async open(blocks: StagedBlocks, runner: Runner, bulk: number, after: Buffer | null): Promise<StagedMerge> {
    const merge = new StagedMerge({ blocks, runner, bulk });
    await merge.#start(after ?? BEFORE_ALL);
    return merge;
  }

  private constructor(deps: StagedMergeDeps) {
    this.#deps = deps;
  }

  get isOver(): boolean {
    return this.#waiting.length === 0 && this.#heap.length === 0;
  }

  /** Whether this key was the last one read. */
  standsAfter(position: Buffer | null): boolean {
    return this.#position.equals(position ?? BEFORE_ALL);
  }

  /** `limit` rows, or all that are left. */
  async next(limit: number): Promise<StagedRows> {
    const lacking = limit - this.#waiting.length;
    if (lacking > 0) this.#waiting = joined(this.#waiting, await this.#merge(lacking, null));
    return this.#take(Math.min(limit, this.#waiting.length));
  }

  /** The next rows with keys up to `last`; the sequence continues after `last`. */
  async nextUpTo(last: Buffer): Promise<StagedRows> {
    let rows: StagedRows;
    const waiting = this.#waiting.countUpTo(last);
    if (waiting < this.#waiting.length) rows = this.#take(waiting);
    else {
      const more = await this.#merge(Number.POSITIVE_INFINITY, last);
      rows = joined(this.#waiting, more);
      this.#waiting = NO_ROWS;
    }
    this.#position = Buffer.from(last);
    return rows;
  }

  /** Takes back the last returned `rows` from index `from` on; the sequence continues after `position`. */
  putBack(rows: StagedRows, from: number, position: Buffer): void {
    this.#waiting = joined(rows.slice(from), this.#waiting);
    this.#position = Buffer.from(position);
  }

  #take(count: number): StagedRows {
    const rows = this.#waiting.slice(0, count);
    this.#waiting = count === this.#waiting.length ? NO_ROWS : this.#waiting.slice(count);
    if (count > 0) this.#position = Buffer.from(rows.key(count - 1));
    return rows;
  }

  async #merge(limit: number, last: Buffer | null): Promise<StagedRows> {
    const rows = new StagedRowsBuilder(Math.min(limit, ROWS_PER_YIELD));
    let yieldAt = ROWS_PER_YIELD;
    for (;;) {
      const top = this.#heap[0];
      if (top === undefined || rows.length >= limit) break;
      if (this.#heap.length === 1) {
        // A sorted list is one run, and so is the end of any list: return complete blocks at once.
        const end = last === null ? top.block.length : top.index + top.block.slice(top.index).countUpTo(last);
        const to = Math.min(end, top.index + limit - rows.length);
        if (to === top.index) break;
        rows.append(top.block, top.index, to);
        top.index = to;
        if (to === top.block.length && !(await this.#refill(top))) this.#heap.pop();
        else top.rank = rankOf(top);
      } else {
        const at = top.index * KEY_BYTES;
        if (last !== null && compareKeys(top.block.keys, at, last, 0) > 0) break;
        rows.append(top.block, top.index, top.index + 1);
        await this.#pass(top.block.keys, at);
      }
      if (rows.length >= yieldAt) {
        await yieldToLoop();
        yieldAt += ROWS_PER_YIELD;
      }
    }
    return rows.build();
  }

  async #start(after: Buffer): Promise<void> {
    this.#position = after;
    const runs = await this.#deps.blocks.runs(this.#deps.runner, this.#deps.bulk);
    for (const [count, run] of runs.entries()) {
      const cursor: Cursor = { run, block: NO_ROWS, index: 0, rank: 0 };
      if (after.length > 0) {
        cursor.block = (await this.#deps.blocks.holding(this.#deps.runner, this.#deps.bulk, run, after)) ?? NO_ROWS;
        cursor.index = cursor.block.countUpTo(after);
      }
      if (cursor.index < cursor.block.length || (await this.#refill(cursor))) {
        cursor.rank = rankOf(cursor);
        this.#heap.push(cursor);
      }
      if (count % RUNS_PER_YIELD === RUNS_PER_YIELD - 1) await yieldToLoop();
    }
    for (let i = (this.#heap.length >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  /** Continues after the key, past the rows of the same address in lower runs too. */
  async #pass(keys: Buffer, at: number): Promise<void> {
    for (;;) {
      const top = this.#heap[0];
      if (top === undefined || compareKeys(top.block.keys, top.index * KEY_BYTES, keys, at) !== 0) return;
      top.index++;
      if (top.index < top.block.length || (await this.#refill(top))) top.rank = rankOf(top);
      else this.#dropTop();
      this.#sink(0);
    }
  }

  /** The next block, when this one is used up. Within a run each block begins above the previous one. */
  async #refill(cursor: Cursor): Promise<boolean> {
    const after = cursor.block.length === 0 ? BEFORE_ALL : cursor.block.key(0);
    cursor.block =
      (await this.#deps.blocks.following(this.#deps.runner, this.#deps.bulk, cursor.run, after)) ?? NO_ROWS;
    cursor.index = 0;
    return cursor.block.length > 0;
  }

  #dropTop(): void {
    const end = this.#heap.pop();
    if (end !== undefined && this.#heap.length > 0) this.#heap[0] = end;
  }

  #sink(start: number): void {
    const heap = this.#heap;
    let parent = start;
    for (;;) {
      let least = parent;
      for (let child = 2 * parent + 1; child <= 2 * parent + 2 && child < heap.length; child++) {
        if (comesBefore(heap[child]!, heap[least]!)) least = child;
      }
      if (least === parent) return;
      [heap[parent], heap[least]] = [heap[least]!, heap[parent]!];
      parent = least;
    }
  }
}

function comesBefore(a: Cursor, b: Cursor): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank;
  const order = compareKeys(a.block.keys, a.index * KEY_BYTES, b.block.keys, b.index * KEY_BYTES);
  return order < 0 || (order === 0 && a.run > b.run);
}

const ABOVE_IPV4 = 2 ** 41;

/** A number in key order, exact for IPv4; equal numbers say nothing about other keys. Saves most comparisons. */
function rankOf({ block: { keys }, index }: Cursor): number {
  const at = index * KEY_BYTES;
  const first = keys.readUInt32BE(at);
  const second = keys.readUInt32BE(at + 4);
  if (first === 0 && second === 0) {
    const third = keys.readUInt32BE(at + 8);
    if (third < 0xffff) return -1;
    if (third === 0xffff) return keys.readUInt32BE(at + 12) * 256 + keys[at + 16]!;
  }
  return ABOVE_IPV4 + first * 2 ** 19 + (second >>> 13);
}

function joined(a: StagedRows, b: StagedRows): StagedRows {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const rows = new StagedRowsBuilder(a.length + b.length);
  rows.append(a, 0, a.length);
  rows.append(b, 0, b.length);
  return rows.build();
}
