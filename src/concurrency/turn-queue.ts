// One writer per proxy: work that changes the blocked set, its file or its maps holds the turn. Only what a turn left
// (`leave`) continues beside the same owner's next one. Two lanes: urgent work goes first, bulk work comes in slices of
// at most 50 ms: one after each urgent turn, so that neither starves the other, and after a long urgent turn as many as
// fit into a third of its time.

import { yieldToLoop } from './pause.ts';

/** Measures how long the turns of one piece of work waited. */
export class WaitedTurns implements Pick<TurnQueue, 'take'> {
  readonly #turns: Pick<TurnQueue, 'take'>;
  #waitedMs = 0;

  constructor(turns: Pick<TurnQueue, 'take'>) {
    this.#turns = turns;
  }

  /** Milliseconds, of all turns that have begun. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  take<T>(lane: Lane, work: () => Promise<T>, owner: object | null = null): Promise<T> {
    const asked = performance.now();
    const counted = (): Promise<T> => {
      this.#waitedMs += performance.now() - asked;
      return work();
    };
    return this.#turns.take(lane, counted, owner);
  }
}

/** Weight of a newer wait in the average. */
const newest = 0.2;

/** Share of the last urgent turn's time that bulk work gets, if that is more than a slice. */
const bulkShare = 1 / 3;
const bulkAtMostMs = 40;
/** A smaller share is not worth a second slice. */
const bulkAtLeastMs = 5;

export type Lane = 'urgent' | 'bulk';

interface Waiting {
  readonly run: () => Promise<void>;
  readonly owner: object | null;
}

/** Work of a turn that ends after it. */
interface Rest {
  readonly owner: object;
  readonly ended: Promise<void>;
}

export class TurnQueue {
  readonly #lanes: Record<Lane, Waiting[]> = { urgent: [], bulk: [] };
  #running = false;
  #lastLane: Lane = 'bulk';
  #rest: Rest | null = null;
  #bulkWaitMs = 0;
  /** Duration of the last urgent turn, of the bulk turns since, and of the last of those. */
  #urgentMs = 0;
  #bulkMs = 0;
  #lastBulkMs = 0;

  /** Average wait of bulk turns, in ms. Each slice of bulk work costs that. */
  get bulkWaitMs(): number {
    return this.#bulkWaitMs;
  }

  /** Waiting turns, without the running one. */
  get waiting(): number {
    return this.#lanes.urgent.length + this.#lanes.bulk.length;
  }

  get idle(): boolean {
    return !this.#running && this.#rest === null;
  }

  /**
   * Runs `work` alone. Only the caller gets its errors. With an `owner` it may begin while what the same owner's last
   * turn left (`leave`) continues.
   */
  take<T>(lane: Lane, work: () => Promise<T>, owner: object | null = null): Promise<T> {
    const asked = performance.now();
    return new Promise<T>((resolve, reject) => {
      this.#lanes[lane].push({
        owner,
        run: async () => {
          if (lane === 'bulk') this.#bulkWaitMs += (performance.now() - asked - this.#bulkWaitMs) * newest;
          try {
            resolve(await work());
          } catch (error) {
            reject(error);
          }
        },
      });
      if (!this.#running) void this.#run();
    });
  }

  /**
   * Call inside a turn of the owner, once, when what an earlier one left has ended: `rest` continues after the turn,
   * beside the owner's next one; another owner's turn begins only when it has ended. The owner handles its failure.
   */
  leave(owner: object, rest: Promise<unknown>): void {
    const ended = rest.then(
      () => undefined,
      () => undefined,
    );
    this.#rest = { owner, ended };
  }

  /** Resolves when everything queued before has ended; for shutdown. */
  async drained(): Promise<void> {
    // The last of each lane: neither lane waits for the end of the other.
    const last = async (): Promise<void> => undefined;
    await Promise.all([this.take('urgent', last), this.take('bulk', last)]);
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (;;) {
      const next = this.#next();
      if (next === undefined) break;
      const rest = this.#rest;
      if (rest !== null && rest.owner !== next.owner) {
        await rest.ended;
        this.#rest = null;
      }
      const began = performance.now();
      await next.run();
      this.#took(performance.now() - began);
      // A slice may be nothing but synchronous database work: without this a block that arrives would not even be read
      // before the last slice.
      if (this.#lastLane === 'bulk') await yieldToLoop();
    }
    this.#running = false;
  }

  #took(ms: number): void {
    if (this.#lastLane === 'urgent') [this.#urgentMs, this.#bulkMs, this.#lastBulkMs] = [ms, 0, 0];
    else [this.#bulkMs, this.#lastBulkMs] = [this.#bulkMs + ms, ms];
  }

  #next(): Waiting | undefined {
    const { urgent, bulk } = this.#lanes;
    const urgentNext = urgent.length > 0 && (bulk.length === 0 || (this.#lastLane === 'bulk' && !this.#bulkHasTime()));
    const lane: Lane = urgentNext ? 'urgent' : 'bulk';
    this.#lastLane = lane;
    return this.#lanes[lane].shift();
  }

  /** Whether another slice like the last one stays within its share. */
  #bulkHasTime(): boolean {
    const share = Math.min(bulkAtMostMs, this.#urgentMs * bulkShare);
    return share >= bulkAtLeastMs && this.#bulkMs + this.#lastBulkMs <= share;
  }
}
