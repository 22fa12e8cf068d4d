// V8 saves memory while the process is not busy: it collects sooner, shrinks the young heap, and returns the pages that it
// freed. By itself it lets the heap grow by 300 % of the live data, and keeps those pages. Saving takes time, so while the
// process is busy the heap may grow by 100 %: a third less memory at the peak of a bulk change than with 300 %, for a few
// percent of its time.

import { busyShare } from './busy-share.ts';
import { saveMemory } from './heap.ts';
import { Ticks } from './ticks.ts';

const checkEveryMs = 1_000;
/** Share of the time in which the event loop is busy. A bulk change that mostly waits for HAProxy keeps it busy for half. */
const busyFrom = 0.4;
/** In a row: a bulk change also waits for HAProxy. */
const calmChecks = 5;

interface HeapOfProcess {
  /** The share of busy time since the last call; 0 to 1. */
  busy(): number;
  save(on: boolean): void;
}

export class MemorySaver {
  readonly #heap: HeapOfProcess;
  readonly #ticks = new Ticks(checkEveryMs, () => this.check());
  #calm = 0;

  constructor(heap: HeapOfProcess) {
    this.#heap = heap;
  }

  static ofThisProcess(): MemorySaver {
    return new MemorySaver({ busy: busyShare(), save: saveMemory });
  }

  start(): void {
    this.#calm = 0;
    this.#heap.save(false);
    this.#ticks.start();
  }

  stop(): void {
    this.#ticks.stop();
  }

  check(): void {
    if (this.#heap.busy() >= busyFrom) {
      if (this.#calm >= calmChecks) this.#heap.save(false);
      this.#calm = 0;
      return;
    }
    this.#calm += 1;
    if (this.#calm === calmChecks) this.#heap.save(true);
  }
}
