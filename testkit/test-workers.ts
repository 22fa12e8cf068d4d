// How many test files run side by side.
import { performance } from 'node:perf_hooks';

const turns = 5_000_000;
/** Usual machines take 5 to 25 ms. */
const slowMs = 75;
const tries = 5;

/**
 * Most tests wait half of their time for a real proxy, database or service: two cores serve five of them. On a machine that
 * is several times slower they wait for the processors instead, and five would exceed the product's own time limits.
 */
export function testWorkers(): number {
  // The least of them: a moment in which other programs have the processor says nothing about the machine.
  const least = Math.min(...Array.from({ length: tries }, timeToCount));
  return least > slowMs ? 2 : 5;
}

/** Milliseconds that some work for one processor takes. */
function timeToCount(): number {
  const began = performance.now();
  let sum = 0;
  for (let turn = 0; turn < turns; turn += 1) sum = (sum + turn * 3) | 0;
  return performance.now() - began;
}
