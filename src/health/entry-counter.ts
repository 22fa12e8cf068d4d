// Compares the number of entries in the current worker and in the database, while changes arrive.

import type { BulkRunner } from '../blocking/bulk/bulk-runner.ts';
import type { Reconciler } from '../blocking/compare/reconciler.ts';
import type { WorkerRegistry } from '../blocking/compare/worker-registry.ts';
import type { MirroredMap } from '../blocking/mirrored-map.ts';
import type { MapFileKeeper } from '../blocking/write/map-file-keeper.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import { count } from '../domain/counted.ts';
import { RuntimeMapRejection } from '../haproxy/maps/runtime-map.ts';
import { MasterSocketError } from '../haproxy/socket/master-socket.ts';

const countTimeoutMs = 1_500;
/** Blocks wait meanwhile. */
const inTurnTimeoutMs = 250;
/** Attempts during changes, before one takes a turn of the write queue. */
const concurrentCounts = 3;

export interface EntryCount {
  /** Null: the worker did not answer. */
  readonly seen: number | null;
  readonly expected: number;
  /** Allowed range, both included: other than `expected` only during a bulk change. */
  readonly least: number;
  readonly most: number;
  /** Why the worker did not answer although its master did. */
  readonly unanswered: string | null;
}

interface CountedParts {
  readonly blocked: MirroredMap;
  readonly keeper: Pick<MapFileKeeper, 'expected'>;
  readonly registry: WorkerRegistry;
  readonly turns: TurnQueue;
  readonly bulk: Pick<BulkRunner, 'underWay'>;
  /** Paused: a bulk change is in progress, and database and workers differ on purpose. */
  readonly reconciler: Pick<Reconciler, 'paused'>;
}

export class EntryCounter {
  readonly #parts: CountedParts;

  constructor(parts: CountedParts) {
    this.#parts = parts;
  }

  uncounted(unanswered: string | null = null): EntryCount {
    const expected = this.#parts.keeper.expected.total;
    return { seen: null, expected, least: 0, most: Number.POSITIVE_INFINITY, unanswered };
  }

  /**
   * Counts the entries of the worker that is current at the beginning.
   * @param mayTakeTurn whether the count may delay changes
   * @param isWanted false once all callers have timed out
   */
  async count(mayTakeTurn: boolean, isWanted: () => boolean): Promise<EntryCount> {
    const { keeper, turns, registry } = this.#parts;
    const pid = registry.current()?.pid;
    if (pid === undefined) return this.uncounted();
    let answered = false;
    try {
      for (let tries = 0; tries < concurrentCounts && isWanted(); tries += 1) {
        const before = { idle: turns.idle, expected: keeper.expected.total };
        const count = await this.#countOnce(pid, countTimeoutMs);
        if (isWithin(count)) return count;
        answered = true;
        // Nothing changed meanwhile.
        if (!mayTakeTurn && before.idle && turns.idle && before.expected === count.expected) return count;
      }
      // With many changes, one is between database and worker at nearly every count.
      if (!mayTakeTurn) return this.uncounted();
      return await turns.take('urgent', async () =>
        // Without a waiting caller do not delay blocks.
        isWanted() ? await this.#countOnce(pid, inTurnTimeoutMs) : this.uncounted(),
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
    const { blocked, keeper, registry } = this.#parts;
    const count = await blocked.runtime.entryCount(performance.now() + withinMs, { kind: 'pid', pid });
    // The entries of an abandoned version count until the next commit; the reconciler knows how many.
    const expected = keeper.expected.total;
    const twoVersions = count.nextVersion > count.currentVersion;
    const abandoned = twoVersions ? registry.byPid(pid)?.abandoned.blocked : undefined;
    const seen = abandoned?.live(count.entries, expected) ?? count.entries;
    return { seen, expected, ...this.#bounds(expected, twoVersions), unanswered: null };
  }

  /**
   * Allows for what a bulk change has stored but not applied to the worker yet. `twoVersions`: the worker may also have
   * the version that a replace is filling, whose entries count too.
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

export function isUncounted({ seen, unanswered }: EntryCount): boolean {
  return seen === null && unanswered === null;
}

/** Null: no problem, or no count. */
export function problemInCount(entries: EntryCount): string | null {
  const { seen, expected, least, most, unanswered } = entries;
  if (seen === null || isWithin(entries)) return unanswered;
  const wanted =
    least === most
      ? `instead of ${count(expected)}`
      : `instead of ${count(least)} to ${count(most)} during a bulk change`;
  return `it holds ${count(seen)} entries ${wanted}`;
}
