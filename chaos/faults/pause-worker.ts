import type { Fault } from '../fault.ts';
import { send } from './proxy-processes.ts';

/** The current worker gets no processor for a moment. */
export const pauseWorker: Fault = {
  name: 'pause-worker',
  excuses: {},
  async strike({ service }) {
    const pid = await service.workerPid();
    send(pid, 'SIGSTOP');
    return { detail: `SIGSTOP to worker ${pid}`, heal: async () => send(pid, 'SIGCONT') };
  },
};
