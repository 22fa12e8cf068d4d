import type { TurnQueue } from '../../concurrency/turn-queue.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { BulkStore, StagedRow } from '../../store/bulk-store.ts';
import { stored } from '../write/change-failure.ts';

/** Written in some 5 ms, 20 with reasons; each is one run of the merge sort. */
const stageSlice = 16_384;

interface ReceivingDeps {
  readonly id: string;
  readonly bulk: Pick<BulkStore, 'requireRoom' | 'sorted' | 'stageSorted'>;
  readonly turns: Pick<TurnQueue, 'take'>;
}

/** A bulk change whose rows arrive, and are staged in slices. */
export class Receiving {
  readonly #deps: ReceivingDeps;
  #waiting: StagedRow[] = [];
  #entries = 0;
  #additions = 0;

  constructor(deps: ReceivingDeps) {
    this.#deps = deps;
  }

  get id(): string {
    return this.#deps.id;
  }

  /** Rows received so far. */
  get entries(): number {
    return this.#entries;
  }

  async receive(rows: readonly StagedRow[]): Promise<void> {
    this.#entries += rows.length;
    for (const row of rows) {
      if (row.op === 'add') this.#additions += 1;
      this.#waiting.push(row);
      if (this.#waiting.length === stageSlice) await this.#stage();
    }
  }

  /** Call once all rows have been received. */
  async end(): Promise<void> {
    if (this.#waiting.length > 0) await this.#stage();
  }

  async #stage(): Promise<void> {
    const { id, bulk, turns } = this.#deps;
    await stored(() => bulk.requireRoom(this.#additions));
    // Sorting needs no turn.
    const rows = await stored(() => bulk.sorted(this.#waiting));
    this.#waiting = [];
    await turns.take('bulk', () => stored(() => bulk.stageSorted(id, rows)));
    crashPoint('bulk.staged');
  }
}
