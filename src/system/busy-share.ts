import { performance } from 'node:perf_hooks';

/**
 * Returns a function that returns in which share of the time the event loop of this process was busy since the previous
 * call; 0 to 1.
 */
export function busyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
