import type { Fault } from '../fault.ts';

export const killService: Fault = {
  name: 'kill-service',
  excuses: { api: true },
  async strike(stack) {
    const { service } = stack;
    const { pid } = service;
    service.kill('SIGKILL');
    await service.ended();
    return { detail: `kill -9 of ${pid}`, heal: () => stack.relaunch() };
  },
};
