// A change of a set with few entries, in one turn: the database, then the files, then the workers, each read back.
import type { Caller } from '../api/caller.ts';
import type { RuntimeMapFailure } from '../api/changes.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import type { ChangeCounts } from './answers.ts';
import type { SmallMap } from './small-map.ts';
import { changeFailure } from './write/change-failure.ts';
import type { ChangeWindows } from './write/change-windows.ts';
import type { RuntimeChangeResult, RuntimeChanger } from './write/runtime-changer.ts';

const runtimeBudgetMs = 1_400;
/** For a change that waited for its turn until its deadline. */
const leastBudgetMs = 100;

interface SmallMapChange {
  readonly map: SmallMap;
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export interface Made<T> {
  readonly value: T;
  readonly counts: ChangeCounts;
  /** In this order. */
  readonly maps: readonly SmallMapChange[];
  /** Rolls back the change in the database, because a file could not be written. */
  readonly undo: () => Promise<void>;
}

interface PreparedChange<T> {
  /** Every entry that may be added, changed or removed. */
  readonly texts: readonly string[];
  /** Changes the database and the expected entries. Null: there was nothing to change. */
  readonly store: () => Promise<Made<T> | null>;
}

/** What a worker was not seen to hold, of one map. */
export interface SmallMapFailure extends RuntimeMapFailure {
  readonly map: SmallMap;
}

export interface SmallSetResult {
  readonly failures: readonly SmallMapFailure[];
  readonly currentFailed: boolean;
}

type Reached = 'stored' | 'written' | 'after-runtime';

interface SmallSetWriterDeps {
  readonly turns: TurnQueue;
  readonly windows: ChangeWindows;
  readonly changer: RuntimeChanger;
  /** From the database. Errors: 6004. */
  readonly writeFiles: () => Promise<void>;
  readonly reached?: (step: Reached) => void;
}

export class SmallSetWriter {
  readonly #deps: SmallSetWriterDeps;

  constructor(deps: SmallSetWriterDeps) {
    this.#deps = deps;
  }

  /**
   * @param caller null: the service itself
   * @param prepare called inside the turn
   * @returns null: there was nothing to change
   */
  async change<T>(
    caller: Caller | null,
    prepare: () => Promise<PreparedChange<T>>,
    /** The caller holds the turn. */
    inTurn = false,
  ): Promise<{ readonly value: T; readonly result: SmallSetResult } | null> {
    let durable: ChangeCounts | null = null;
    try {
      const work = async () => {
        const { texts, store } = await prepare();
        const end = this.#deps.windows.begin(texts);
        try {
          const made = await store();
          if (made === null) return null;
          durable = made.counts;
          this.#deps.reached?.('stored');
          try {
            await this.#deps.writeFiles();
          } catch (error) {
            await made.undo();
            durable = null;
            throw error;
          }
          this.#deps.reached?.('written');
          const result = await this.#changeWorkers(made.maps, caller);
          this.#deps.reached?.('after-runtime');
          return { value: made.value, result };
        } finally {
          end();
        }
      };
      return await (inTurn ? work() : this.#deps.turns.take('urgent', work));
    } catch (error) {
      throw changeFailure(error, durable);
    }
  }

  async #changeWorkers(maps: readonly SmallMapChange[], caller: Caller | null): Promise<SmallSetResult> {
    const began = caller?.receivedAt ?? performance.now();
    const failures: SmallMapFailure[] = [];
    let currentFailed = false;
    for (const { map, add, remove } of maps) {
      if (add.length + remove.length === 0) continue;
      const deadline = Math.max(began + runtimeBudgetMs, performance.now() + leastBudgetMs);
      const request = { map: map.runtime, name: map.name, add, remove, deadline };
      const result: RuntimeChangeResult = await this.#deps.changer.change(request);
      failures.push(...result.failures.map((failure) => ({ ...failure, map })));
      currentFailed ||= result.currentFailed;
    }
    return { failures, currentFailed };
  }
}
