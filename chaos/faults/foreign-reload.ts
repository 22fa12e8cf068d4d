import { findMaster } from '../../src/haproxy/master-process.ts';
import { askForReload } from '../../src/haproxy/master-socket-reload.ts';
import { within } from '../../testkit/conditions.ts';
import type { Fault } from '../fault.ts';
import { send } from './proxy-processes.ts';

/** A package's upgrade script, an operator: somebody else reloads the proxy, once or several times in a row. */
export const foreignReload: Fault = {
  name: 'foreign-reload',
  excuses: {},
  async strike({ service }, random) {
    const { paths, socket } = service;
    const ways: string[] = [];
    for (let times = random.pick([1, 1, 2, 3]); times > 0; times -= 1) {
      if (random.integer(0, 1) === 0) {
        const reply = await askForReload(socket, within(10_000)).catch((error: Error) => ({ kind: error.message }));
        ways.push(`reload by the socket (${reply.kind})`);
      } else {
        const master = await findMaster(paths.pidFile, paths.config);
        if (master !== null) send(master.pid, 'SIGUSR2');
        ways.push(`SIGUSR2 to ${master?.pid ?? 'nobody'}`);
      }
    }
    return { detail: ways.join(', '), heal: async () => undefined };
  },
};
