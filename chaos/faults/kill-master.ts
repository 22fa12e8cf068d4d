import type { Fault } from '../fault.ts';
import { killAndWait } from '../signals.ts';
import { servesAgain } from './proxy-processes.ts';

export const killMaster: Fault = {
  name: 'kill-master',
  excuses: { traffic: true },
  async strike(stack) {
    const { master } = await stack.service.processes();
    await killAndWait([master.pid]);
    return {
      detail: `kill -9 of ${master.pid}`,
      heal: async () => undefined,
      over: () => servesAgain(stack, [master.pid]),
    };
  },
};
