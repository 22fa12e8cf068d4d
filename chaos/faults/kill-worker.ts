import type { Fault } from '../fault.ts';
import { killAndWait } from '../signals.ts';
import { servesAgain } from './proxy-processes.ts';

/** The master ends with its current worker; both must be started again. */
export const killWorker: Fault = {
  name: 'kill-worker',
  excuses: { traffic: true },
  async strike(stack, random) {
    const { master, current, draining } = await stack.service.processes();
    const { pid } = random.pick([...current, ...draining]);
    await killAndWait([pid]);
    const kind = draining.some((worker) => worker.pid === pid) ? 'draining' : 'current';
    // A reload may have made it a draining worker, whose death affects only its own clients.
    const over = () => servesAgain(stack, [pid]);
    const detail = `kill -9 of the ${kind} worker ${pid} of master ${master.pid}`;
    return { detail, heal: async () => undefined, over };
  },
};
