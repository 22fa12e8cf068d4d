// Returns memory to the system while the process is idle. After a bulk change the heap is full of garbage, and V8 collects
// only on allocations, of which an idle service has few: after a `PUT` of a million entries it stayed at 300 MB, and is at
// 160 MB with this. A collection blocks the process for some 0.1 s, so there is one only after an idle time, and only if
// it may return much.

import { busyShare } from './busy-share.ts';
import { collector } from './heap.ts';
import { Ticks } from './ticks.ts';

const checkEveryMs = 5_000;
/** Share of the time in which the event loop is busy; the checks of HAProxy every 2 s stay far below. */
const idleBelow = 0.05;
/** Share from which a check saw a bulk change or many blocks. */
const busyFrom = 0.5;
/** The least growth since the last collection that is worth another. */
const worthBytes = 32 * 1024 * 1024;

interface ProcessMemory {
  /** Bytes that V8 has allocated from the system for its heap, used or not. */
  heapTotal(): number;
  /** The share of busy time since the last call; 0 to 1. */
  busy(): number;
  /** Collects all garbage, and returns the pages. */
  collect(): void;
}

export class IdleMemory {
  readonly #memory: ProcessMemory | null;
  readonly #ticks = new Ticks(checkEveryMs, () => this.check());
  #wasIdle = false;
  #wasBusy = false;
  /** Bytes after the last collection, and after the one that left the fewest. */
  #floor = 0;
  #lowest = 0;

  /** null: this process cannot collect on demand. */
  constructor(memory: ProcessMemory | null) {
    this.#memory = memory;
  }

  static ofThisProcess(): IdleMemory {
    const collect = collector();
    if (collect === null) return new IdleMemory(null);
    return new IdleMemory({
      heapTotal: () => process.memoryUsage().heapTotal,
      busy: busyShare(),
      collect: () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    });
  }

  start(): void {
    if (this.#memory !== null) this.#ticks.start();
  }

  stop(): void {
    this.#ticks.stop();
  }

  /** Collects after two idle checks in a row, so that a pause between two requests does not count. */
  check(): void {
    const memory = this.#memory;
    if (memory === null) return;
    const busy = memory.busy();
    const idle = busy < idleBelow;
    const settled = idle && this.#wasIdle;
    this.#wasIdle = idle;
    this.#wasBusy ||= busy >= busyFrom;
    if (!settled) return;
    // The last collection may have been in a pause of a bulk change, when all of its data were alive.
    const floor = this.#wasBusy ? this.#lowest : this.#floor;
    if (memory.heapTotal() < floor + worthBytes) return;
    memory.collect();
    this.#floor = memory.heapTotal();
    this.#lowest = Math.min(this.#lowest || this.#floor, this.#floor);
    this.#wasBusy = false;
  }
}
