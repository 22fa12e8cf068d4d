import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { capabilitiesOf } from '../src/haproxy/process/proxy-version.ts';
import { MasterSocket } from '../src/haproxy/socket/master-socket.ts';
import { type MasterSubject, masterContract } from './master-contract.ts';
import { describeOnProductProxies } from './proxies.ts';
import { RealProxy } from './real-proxy.ts';
import { ScriptedMaster } from './scripted-master.ts';

describe.each(['2.6.12', '3.4.0'])('the contract, as of version %s', (version) => {
  masterContract('the scripted master', version !== '2.6.12', () => startScripted(version));
});

async function startScripted(version: string): Promise<MasterSubject> {
  const folder = await mkdtemp(join(tmpdir(), 'pm-'));
  const mapPath = '/etc/proxy/blocked_ips.map';
  const master = new ScriptedMaster(join(folder, 'm.sock'), { [mapPath]: [] });
  master.master.version = version;
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
}

// `npm run test:long` runs it on every version.
describeOnProductProxies('the contract', (proxy) => {
  masterContract('the real one', capabilitiesOf({ ...proxy, text: proxy.version }).workerLines, async () => {
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
