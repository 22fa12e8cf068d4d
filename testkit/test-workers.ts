// How many test files run side by side.
import { performance } from 'node:perf_hooks';

const turns = 20_000_000;
/** A usual machine takes 15 to 40 ms. */
const slowMs = 150;

/**
 * Most tests wait half of their time for a real proxy, database or service: two cores serve five of them. On a machine that
 * is several times slower they wait for the processors instead, and five would exceed the product's own time limits.
 */
export function testWorkers(): number {
  count();
  const began = performance.now();
  count();
  return performance.now() - began > slowMs ? 2 : 5;
}

/** Some work for one processor. */
function count(): number {
  let sum = 0;
  for (let turn = 0; turn < turns; turn += 1) sum = (sum + turn * 3) | 0;
  return sum;
}
