import type { Fault } from '../fault.ts';

/** An operator's restart: SIGTERM, then a start. */
export const stopService: Fault = {
  name: 'stop-service',
  excuses: { api: true },
  async strike(stack) {
    const { service } = stack;
    const { pid } = service;
    service.kill('SIGTERM');
    const { code, signal } = await service.ended();
    if (code !== 0 && signal !== 'SIGKILL') throw new Error(`service ${pid} ended with ${code ?? signal}`);
    return { detail: `SIGTERM to ${pid}, which ended with ${code ?? signal}`, heal: () => stack.relaunch() };
  },
};
