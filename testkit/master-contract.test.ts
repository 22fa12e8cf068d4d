import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MasterSocket } from '../src/haproxy/socket/master-socket.ts';
import { masterContract } from './master-contract.ts';
import { describeOnEachProxy } from './proxies.ts';
import { RealProxy } from './real-proxy.ts';
import { ScriptedMaster } from './scripted-master.ts';

masterContract('the scripted master', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pm-'));
  const mapPath = '/etc/proxy/blocked_ips.map';
  const master = new ScriptedMaster(join(folder, 'm.sock'), { [mapPath]: [] });
  await master.listen();
  const socket = new MasterSocket(master.path);
  return {
    socket,
    mapPath,
    drain: async () => {
      const draining = master.current.pid;
      return { draining, current: master.reload({ [mapPath]: [] }).pid };
    },
    stop: async () => {
      socket.close();
      await master.stop();
      await rm(folder, { recursive: true });
    },
  };
});

describeOnEachProxy('the contract', (proxy) => {
  masterContract('the real one', async () => {
    const real = await RealProxy.start(proxy.bin);
    const client = real.keepAliveClient();
    return {
      socket: real.socket,
      mapPath: real.paths.blockedMap,
      drain: async () => {
        // An open connection keeps the old worker alive.
        await client.request();
        const { before, after } = await real.reload();
        return { draining: before, current: after };
      },
      stop: async () => {
        client.close();
        await real.stop();
      },
    };
  });
});
