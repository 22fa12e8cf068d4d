// V8 saves memory while the process is not busy: it collects sooner, and returns what it freed to the system. By itself it
// lets the heap grow by 300 % of the live data, and keeps up to 16 MB of freed pages. That costs time, which a bulk change
// needs: while busy, the heap may grow by 100 %, a third less memory at the peak for a few percent of the time.

import { busyShare } from './busy-share.ts';
import { saveMemory } from './heap.ts';
import { Ticks } from './ticks.ts';

const checkEveryMs = 1_000;
/** Share of the time in which the event loop is busy. */
const busyFrom = 0.7;
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
