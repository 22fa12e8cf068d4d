import { processAlive } from '../../src/system/processes.ts';
import { eventually, untilPasses } from '../../testkit/conditions.ts';
import type { Fault } from '../fault.ts';
import { send } from '../signals.ts';

export const pauseWorker: Fault = {
  name: 'pause-worker',
  excuses: {},
  async strike({ service }) {
    const pid = await service.workerPid();
    const { master } = await service.processes();
    send(pid, 'SIGSTOP');
    let replaced = false;
    return {
      detail: `SIGSTOP to worker ${pid}`,
      // HAProxy resets what waits in a worker that was replaced while paused (docs/haproxy-notes.md).
      async alsoExcuses() {
        replaced = await untilPasses(async () => {
          // Another fault killed it: no HAProxy serves before this worker continues, and ends.
          if (!(await processAlive(master.pid, null))) return true;
          const { current, starting } = await service.processes();
          // Also during a reload: a starting worker asks it for its listeners.
          return starting.length > 0 || current.every((worker) => worker.pid !== pid);
        });
        return { traffic: replaced };
      },
      heal: async () => send(pid, 'SIGCONT'),
      async over() {
        if (!replaced) return;
        const isGone = async () => (await service.processes()).draining.every((worker) => worker.pid !== pid);
        await eventually('the worker that was paused is gone', isGone);
      },
    };
  },
};
