import { performance } from 'node:perf_hooks';

/** The returned function returns how busy the event loop of this process was since the previous call: 0 to 1. */
export function busyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
