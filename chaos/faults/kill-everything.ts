import type { Fault } from '../fault.ts';
import { killAndWait, send } from '../signals.ts';
import { servesAgain } from './proxy-processes.ts';

export const killEverything: Fault = {
  name: 'kill-everything',
  excuses: { api: true, traffic: true },
  async strike(stack, random) {
    const { service } = stack;
    const { pid } = service;
    const proxy = await service.proxyPids();
    const serviceFirst = random.integer(0, 1) === 0;
    if (serviceFirst) service.kill('SIGKILL');
    for (const one of proxy) send(one, 'SIGKILL');
    service.kill('SIGKILL');
    await service.ended();
    await killAndWait(proxy);
    return {
      detail: `kill -9 of service ${pid} (${serviceFirst ? 'first' : 'last'}) and proxy ${proxy.join(', ')}`,
      heal: () => stack.relaunch(),
      over: () => servesAgain(stack, proxy),
    };
  },
};
