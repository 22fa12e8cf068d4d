import { readFile } from 'node:fs/promises';
import { kill } from 'node:process';
import { capabilitiesOf, readProxyVersion } from '../../src/haproxy/process/proxy-version.ts';
import { requestReload } from '../../src/haproxy/process/reload-triggers.ts';
import { within } from '../../testkit/conditions.ts';
import type { Fault } from '../fault.ts';
import { send } from '../signals.ts';

/**
 * The master is stopped in the middle of a reload. From 3.1 on the reload is requested through the socket, which rejects
 * one while a worker starts: the signal would make HAProxy reset connections (docs/haproxy-notes.md).
 */
export const slowReload: Fault = {
  name: 'slow-reload',
  excuses: {},
  async strike({ service: { paths, socket }, bin }, random) {
    const master = Number((await readFile(paths.pidFile, 'utf8')).trim());
    const signalsHarm = capabilitiesOf(await readProxyVersion(bin)).workerReadsConfiguration;
    let reply: Promise<unknown> | null = null;
    if (signalsHarm) reply = requestReload(socket, within(10_000)).catch((error: Error) => error.message);
    else kill(master, 'SIGUSR2');
    const ms = random.integer(0, 40);
    await new Promise((resolve) => setTimeout(resolve, ms));
    kill(master, 'SIGSTOP');
    return {
      detail: `master ${master}, stopped ${ms} ms into a reload${signalsHarm ? ' by the socket' : ''}`,
      async heal() {
        send(master, 'SIGCONT');
        await reply;
      },
    };
  },
};
