import { findMaster } from '../../src/haproxy/process/master-process.ts';
import { capabilitiesOf, readProxyVersion } from '../../src/haproxy/process/proxy-version.ts';
import { requestReload } from '../../src/haproxy/process/reload-triggers.ts';
import { eventually, within } from '../../testkit/conditions.ts';
import type { Fault, Stack } from '../fault.ts';
import { send } from '../signals.ts';

/**
 * Another process reloads HAProxy, perhaps several times. From 3.1 on a signal while a worker starts makes HAProxy
 * reset connections (docs/haproxy-notes.md), so there only the first reload is signalled; the socket rejects such a
 * reload.
 */
export const foreignReload: Fault = {
  name: 'foreign-reload',
  excuses: {},
  async strike({ service, bin }, random) {
    const { paths, socket } = service;
    const ways: string[] = [];
    const signalsHarm = capabilitiesOf(await readProxyVersion(bin)).workerReadsConfiguration;
    for (let times = random.pick([1, 1, 2, 3]); times > 0; times -= 1) {
      const bySocket = random.integer(0, 1) === 0;
      if (bySocket || (signalsHarm && ways.length > 0)) {
        const reply = await requestReload(socket, within(10_000)).catch((error: Error) => ({ kind: error.message }));
        ways.push(`reload by the socket (${reply.kind})`);
      } else {
        if (signalsHarm) await eventually('no worker starts', () => noneStarts(service));
        const master = await findMaster(paths.pidFile, paths.config);
        if (master !== null) send(master.pid, 'SIGUSR2');
        ways.push(`SIGUSR2 to ${master?.pid ?? 'no process'}`);
      }
    }
    return { detail: ways.join(', '), heal: async () => undefined };
  },
};

async function noneStarts(service: Stack['service']): Promise<boolean> {
  return (await service.processes()).starting.length === 0;
}
