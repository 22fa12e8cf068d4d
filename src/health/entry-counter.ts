// How many entries the current worker holds, against what the database does, while changes come.
import type { BulkRunner } from '../blocking/bulk/bulk-runner.ts';
import type { Reconciler } from '../blocking/compare/reconciler.ts';
import type { WorkerBook } from '../blocking/compare/worker-book.ts';
import type { MirroredMap } from '../blocking/mirrored-map.ts';
import type { MapFileKeeper } from '../blocking/write/map-file-keeper.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import { RuntimeMapRejection } from '../haproxy/maps/runtime-map.ts';
import { MasterSocketError } from '../haproxy/socket/master-socket.ts';

const patienceMs = 1_500;
/** Blocks wait meanwhile. */
const inTurnPatienceMs = 250;
/** How often the entries are counted beside the changes that come, before one count has the turn. */
const countsBeside = 3;

export interface EntryCount {
  /** Null: the worker could not be asked. */
  readonly seen: number | null;
  readonly expected: number;
  /** What the worker may hold at this moment, both included: other than `expected` only during a big change. */
  readonly least: number;
  readonly most: number;
  /** A worker that hangs behind a master that answers. */
  readonly unanswered: string | null;
}

export interface CountedParts {
  readonly blocked: MirroredMap;
  readonly keeper: Pick<MapFileKeeper, 'expected'>;
  readonly book: WorkerBook;
  readonly turns: TurnQueue;
  readonly bulk: Pick<BulkRunner, 'underWay'>;
  /** Paused: a big change is under way, and database and workers differ on purpose. */
  readonly reconciler: Pick<Reconciler, 'paused'>;
}

export class EntryCounter {
  readonly #parts: CountedParts;

  constructor(parts: CountedParts) {
    this.#parts = parts;
  }

  /** Nothing was seen; all that is known is what there should be. */
  uncounted(unanswered: string | null = null): EntryCount {
    const expected = this.#parts.keeper.expected.total;
    return { seen: null, expected, least: 0, most: Number.POSITIVE_INFINITY, unanswered };
  }

  /**
   * Of the worker that is current when it begins.
   * @param mayTakeTurn whether changes may have to wait for the count
   * @param isWanted whether somebody still waits for it
   */
  async count(mayTakeTurn: boolean, isWanted: () => boolean): Promise<EntryCount> {
    const { keeper, turns, book } = this.#parts;
    const pid = book.current()?.pid;
    if (pid === undefined) return this.uncounted();
    let answered = false;
    try {
      for (let tries = 0; tries < countsBeside && isWanted(); tries += 1) {
        const before = { idle: turns.idle, expected: keeper.expected.total };
        const count = await this.#countOnce(pid, patienceMs);
        if (isWithin(count)) return count;
        answered = true;
        // Nobody was changing anything meanwhile.
        if (!mayTakeTurn && before.idle && turns.idle && before.expected === count.expected) return count;
      }
      // A change may be between database and worker at each of these moments; where many come, at nearly every one.
      if (!mayTakeTurn) return this.uncounted();
      return await turns.take('urgent', async () =>
        // Who asked may have his answer by then, and blocks need not wait for it.
        isWanted() ? await this.#countOnce(pid, inTurnPatienceMs) : this.uncounted(),
      );
    } catch (error) {
      if (error instanceof MasterSocketError) {
        const hangs = !answered && error.reason === 'deadline' && error.command !== '';
        return this.uncounted(hangs ? error.message : null);
      }
      if (error instanceof RuntimeMapRejection) return this.uncounted();
      throw error;
    }
  }

  async #countOnce(pid: number, withinMs: number): Promise<EntryCount> {
    const { blocked, keeper, book } = this.#parts;
    const count = await blocked.runtime.entryCount(performance.now() + withinMs, { kind: 'pid', pid });
    // A version that was given up is counted until the next commit; the reconciler knows how much of it there is.
    const expected = keeper.expected.total;
    const twoVersions = count.nextVersion > count.currentVersion;
    const leftOver = twoVersions ? book.byPid(pid)?.leftOver.blocked : undefined;
    const seen = leftOver?.live(count.entries, expected) ?? count.entries;
    return { seen, expected, ...this.#bounds(expected, twoVersions), unanswered: null };
  }

  /**
   * What a big change has stored and not brought to the worker yet, either way. `twoVersions`: the worker may hold one
   * that a replace is filling at the end of it, which is counted too.
   */
  #bounds(expected: number, twoVersions: boolean): Pick<EntryCount, 'least' | 'most'> {
    const { bulk, reconciler } = this.#parts;
    const { underWay } = bulk;
    if (underWay === null && !reconciler.paused) return { least: expected, most: expected };
    if (underWay === null) return { least: 0, most: Number.POSITIVE_INFINITY };
    return {
      least: expected - underWay.added,
      most: twoVersions ? Number.POSITIVE_INFINITY : expected + underWay.removed,
    };
  }
}

function isWithin({ seen, least, most }: EntryCount): boolean {
  return seen !== null && seen >= least && seen <= most;
}

export function saysNothing({ seen, unanswered }: EntryCount): boolean {
  return seen === null && unanswered === null;
}

/** What is wrong in a count; null: nothing, or nothing was seen. */
export function troubleInCount(count: EntryCount): string | null {
  const { seen, expected, least, most, unanswered } = count;
  if (seen === null || isWithin(count)) return unanswered;
  const wanted = least === most ? `instead of ${expected}` : `where a big change under way leaves ${least} to ${most}`;
  return `it holds ${seen} entries ${wanted}`;
}
