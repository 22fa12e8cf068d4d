import type { Fault } from '../fault.ts';
import { send } from '../signals.ts';

/** Clients wait, nothing is lost. */
export const pauseService: Fault = {
  name: 'pause-service',
  excuses: { api: true },
  async strike({ service }) {
    const { pid } = service;
    send(pid, 'SIGSTOP');
    return { detail: `SIGSTOP to service ${pid}`, heal: async () => send(pid, 'SIGCONT') };
  },
};
