// Preloaded into the service (`node --import`): writes what only the process itself knows to a file each second.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const path = process.env.LOAD_FIGURES;

export interface InsideFigures {
  readonly at: number;
  readonly heap_mb: number;
  readonly external_mb: number;
  /** That keep the process alive. */
  readonly handles: number;
  /** Maximum event loop delay of the last second. */
  readonly loop_delay_ms: number;
}

const resolutionMs = 10;
const megabyte = 2 ** 20;

if (path !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  setInterval(() => {
    const { heapUsed, external } = process.memoryUsage();
    const figures: InsideFigures = {
      at: Date.now(),
      heap_mb: heapUsed / megabyte,
      external_mb: external / megabyte,
      handles: process.getActiveResourcesInfo().length,
      loop_delay_ms: Math.max(0, delay.max / 1e6 - resolutionMs),
    };
    delay.reset();
    appendFileSync(path, `${JSON.stringify(figures)}\n`);
  }, 1_000).unref();
}
