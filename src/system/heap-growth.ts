// How far V8 lets the heap grow above its live data before it collects. By itself that is 300 %. 100 % takes a third less
// memory at the peak of a bulk change, for a few percent of its time; much less would make bulk changes slower. So a busy
// process has 100 %, and any other 10 %: what an attack brings stays in memory, and would bring as much garbage again.

import { busyShare } from './busy-share.ts';
import { setHeapGrowth } from './heap.ts';
import { Ticks } from './ticks.ts';

const percent = { calm: 10, busy: 100 } as const;

const checkEveryMs = 1_000;
/** Share of the time in which the event loop is busy. */
const busyFrom = 0.7;
/** In a row: a bulk change also waits for HAProxy. */
const calmChecks = 5;

interface HeapOfProcess {
  /** The share of busy time since the last call; 0 to 1. */
  busy(): number;
  grow(percent: number): void;
}

export class HeapGrowth {
  readonly #heap: HeapOfProcess;
  readonly #ticks = new Ticks(checkEveryMs, () => this.check());
  #calm = 0;

  constructor(heap: HeapOfProcess) {
    this.#heap = heap;
  }

  static ofThisProcess(): HeapGrowth {
    return new HeapGrowth({ busy: busyShare(), grow: setHeapGrowth });
  }

  start(): void {
    this.#calm = 0;
    this.#heap.grow(percent.busy);
    this.#ticks.start();
  }

  stop(): void {
    this.#ticks.stop();
  }

  check(): void {
    if (this.#heap.busy() >= busyFrom) {
      if (this.#calm >= calmChecks) this.#heap.grow(percent.busy);
      this.#calm = 0;
      return;
    }
    this.#calm += 1;
    if (this.#calm === calmChecks) this.#heap.grow(percent.calm);
  }
}
