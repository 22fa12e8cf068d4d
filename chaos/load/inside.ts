// Loaded into the service before its own program (`node --import`): what only the process itself can tell, a line a
// second, into the file that the environment names. No part of the product.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const path = process.env.LOAD_FIGURES;

export interface InsideFigures {
  /** Unix time. */
  readonly at: number;
  readonly heap_mb: number;
  readonly external_mb: number;
  /** Handles and requests that keep the process alive. */
  readonly handles: number;
  /** How late its event loop was in the last second, at its worst. */
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
