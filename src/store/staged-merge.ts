import { breathe, type Runner } from './prepared-query.ts';
import type { StagedBlocks, StagedRecord } from './staged-rows.ts';

/** One run, read block by block. */
interface Cursor {
  readonly run: number;
  block: StagedRecord[];
  index: number;
}

/** Runs opened between two breaths. */
const RUNS_PER_BREATH = 64;

/**
 * The staged rows of a bulk as one sequence in order of addresses, each address once, the highest run's row of it.
 * Rows are staged in the order in which they come, as runs that are sorted in themselves: a table kept in order while
 * a million addresses come in any order would be written a hundred times over.
 */
export class StagedMerge {
  readonly #blocks: StagedBlocks;
  readonly #runner: Runner;
  readonly #bulk: number;
  /** A binary heap; its top is the run with the next row. */
  readonly #heap: Cursor[] = [];
  #position = '';

  /** Of the rows above `after`. The bulk must be complete; rows staged later may be missed. */
  static async open(blocks: StagedBlocks, runner: Runner, bulk: number, after: Buffer | null): Promise<StagedMerge> {
    const merge = new StagedMerge(blocks, runner, bulk);
    await merge.#start(hex(after));
    return merge;
  }

  private constructor(blocks: StagedBlocks, runner: Runner, bulk: number) {
    this.#blocks = blocks;
    this.#runner = runner;
    this.#bulk = bulk;
  }

  /** Whether the sequence stands right behind this key. */
  standsAfter(position: Buffer | null): boolean {
    return this.#position === hex(position);
  }

  /** The next rows; fewer than `limit`: there are no more. */
  async next(limit: number): Promise<StagedRecord[]> {
    const records: StagedRecord[] = [];
    while (records.length < limit) {
      const record = this.#head();
      if (record === undefined) break;
      records.push(record);
      await this.#pass(record[0]);
    }
    return records;
  }

  /** The next rows with keys up to `last`; afterwards the sequence stands behind `last`. */
  async nextUpTo(last: Buffer): Promise<StagedRecord[]> {
    const end = hex(last);
    const records: StagedRecord[] = [];
    for (let record = this.#head(); record !== undefined && record[0] <= end; record = this.#head()) {
      records.push(record);
      await this.#pass(record[0]);
    }
    this.#position = end;
    return records;
  }

  async #start(after: string): Promise<void> {
    this.#position = after;
    const runs = await this.#blocks.runs(this.#runner, this.#bulk);
    for (const [count, run] of runs.entries()) {
      const cursor: Cursor = { run, block: [], index: 0 };
      if (after !== '') cursor.block = await this.#blocks.holding(this.#runner, this.#bulk, run, after);
      while (cursor.index < cursor.block.length && cursor.block[cursor.index]![0] <= after) cursor.index++;
      if (cursor.index < cursor.block.length || (await this.#refill(cursor))) this.#heap.push(cursor);
      if (count % RUNS_PER_BREATH === RUNS_PER_BREATH - 1) await breathe();
    }
    for (let i = (this.#heap.length >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  #head(): StagedRecord | undefined {
    const top = this.#heap[0];
    return top?.block[top.index];
  }

  /** Goes on behind `key`, past the rows of the same address in lower runs too. */
  async #pass(key: string): Promise<void> {
    for (let head = this.#head(); head?.[0] === key; head = this.#head()) {
      const top = this.#heap[0]!;
      top.index++;
      if (top.index === top.block.length && !(await this.#refill(top))) this.#dropTop();
      this.#sink(0);
    }
    this.#position = key;
  }

  /** The next block, when the present one is used up. Within a run a block begins above all of the one before. */
  async #refill(cursor: Cursor): Promise<boolean> {
    const after = cursor.block[0]?.[0] ?? '';
    cursor.block = await this.#blocks.following(this.#runner, this.#bulk, cursor.run, after);
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
  const keyA = a.block[a.index]![0];
  const keyB = b.block[b.index]![0];
  return keyA < keyB || (keyA === keyB && a.run > b.run);
}

function hex(key: Buffer | null): string {
  return key === null ? '' : key.toString('hex');
}
