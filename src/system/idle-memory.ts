// Gives memory back to the system when there is nothing to do. After a big change the heap is full of what is not
// needed any more, and V8 collects only when somebody allocates, which an idle service does not: after a `PUT` of a
// million it stayed at 300 MB for good, and is at 160 MB afterwards. The collection stops the process for some 0.1 s,
// so it is made only when the process did next to nothing for a while, and never for little.
import { performance } from 'node:perf_hooks';
import { collector } from './heap.ts';

const lookEveryMs = 5_000;
/** Share of the time in which the event loop did anything; looks at the proxy every 2 s stay far below. */
const idleBelow = 0.05;
/** Less than this above what was left after the last collection is not worth one. */
const worthBytes = 32 * 1024 * 1024;

export interface ProcessMemory {
  /** Bytes of the heap that V8 holds of the system, used or not. */
  heapTotal(): number;
  /** The share of the time since the last call in which there was work; 0 to 1. */
  busy(): number;
  /** Collects all there is, and gives the pages back. */
  collect(): void;
}

export class IdleMemory {
  readonly #memory: ProcessMemory | null;
  #timer: NodeJS.Timeout | null = null;
  #wasIdle = false;
  #floor = 0;

  /** null: this process cannot collect on demand. */
  constructor(memory: ProcessMemory | null) {
    this.#memory = memory;
  }

  static ofThisProcess(): IdleMemory {
    const collect = collector();
    if (collect === null) return new IdleMemory(null);
    let before = performance.eventLoopUtilization();
    return new IdleMemory({
      heapTotal: () => process.memoryUsage().heapTotal,
      busy: () => {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, before);
        before = now;
        return utilization;
      },
      collect: () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    });
  }

  start(): void {
    if (this.#memory === null || this.#timer !== null) return;
    this.#timer = setInterval(() => this.look(), lookEveryMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** One look; two idle ones in a row are asked for, so that a pause between two requests is not taken for the end. */
  look(): void {
    const memory = this.#memory;
    if (memory === null) return;
    const idle = memory.busy() < idleBelow;
    const settled = idle && this.#wasIdle;
    this.#wasIdle = idle;
    if (!settled || memory.heapTotal() < this.#floor + worthBytes) return;
    memory.collect();
    this.#floor = memory.heapTotal();
  }
}
