import type { Fault } from '../fault.ts';
import { killAndWait, serves, servesAgain } from './proxy-processes.ts';

/** HAProxy's master ends when a worker is killed; all of it has to be started again. */
export const killWorker: Fault = {
  name: 'kill-worker',
  excuses: { traffic: true },
  async strike(stack, random) {
    const { master, current, draining } = await stack.service.processes();
    const { pid } = random.pick([...current, ...draining]);
    await killAndWait([pid]);
    const kind = draining.some((worker) => worker.pid === pid) ? 'draining' : 'current';
    // A draining one is missed by nobody but its own clients; whether its master ends too is the version's affair.
    const over = kind === 'current' ? () => servesAgain(stack, [master.pid, pid]) : () => serves(stack);
    const detail = `kill -9 of the ${kind} worker ${pid} of master ${master.pid}`;
    return { detail, heal: async () => undefined, over };
  },
};
